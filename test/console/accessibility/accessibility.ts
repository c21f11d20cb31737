import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { accessibilityViolations } from "../../../packages/framework/test/front/front-fixture.ts";
import { fillAccount, type ConsoleContent } from "../support/content.ts";
import { consoleHarness, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";
import { FORMS, stateFaults, STATES } from "./states.ts";

/** Examines every page in some of the forms: windows, colours and zoom. */
export const describeAccessibility = (forms: readonly (keyof typeof FORMS)[]): void => {
  let s: ConsoleHarness;
  beforeAll(async () => {
    s = await consoleHarness({ hasConcierge: true });
  }, 180_000);
  afterAll(() => s.stop());

  const inForm = (form: keyof typeof FORMS, examine: (agent: () => AgentBrowser) => void): void =>
    describe(`with ${form}`, () => {
      let agent: AgentBrowser;
      beforeAll(async () => {
        agent = await s.visit(undefined, FORMS[form]);
        agent.page.setDefaultTimeout(60_000);
      });
      afterAll(() => agent.close());
      examine(() => agent);
    });

  describe("an account without conversations", () => {
    for (const form of forms)
      inForm(form, (agent) =>
        test("has an inbox without violations", async () => {
          await agent().open("/console/inbox");
          await agent().page.getByText("No conversations yet").waitFor();
          expect(await accessibilityViolations(agent().page)).toEqual([]);
        }, 120_000),
      );
  });

  describe("an account with conversations", () => {
    let content: ConsoleContent;
    beforeAll(async () => {
      content = await fillAccount(s);
    });
    for (const form of forms)
      inForm(form, (agent) =>
        test.each(STATES.map((state) => [state.name, state] as const))(
          "%s has no violation and does not scroll sideways",
          async (_name, state) => expect(await stateFaults(agent().page, s.origin, state, content)).toEqual([]),
          120_000,
        ),
      );
  });
};
