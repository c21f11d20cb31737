import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { fillAdministration, type AdminContent } from "./admin-content.ts";
import { ADMIN_PAGES, adminStateFaults, type AdminState } from "./admin-states.ts";
import { consoleHarness, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";
import { FORMS } from "./states.ts";

type Form = keyof typeof FORMS;

/** Examines states of the administration. @shape examined: the states by the form of the window */
export const describeAdminAccessibility = (examined: Readonly<Partial<Record<Form, readonly AdminState[]>>>): void => {
  describe("the administration", () => {
    let s: ConsoleHarness;
    let content: AdminContent;
    beforeAll(async () => {
      s = await consoleHarness();
      content = await fillAdministration(s);
    }, 180_000);
    afterAll(async () => {
      await s.stop();
      await content.stop();
    });

    describe.each(Object.entries(examined))("with %s", (form, states) => {
      let owner: AgentBrowser;
      beforeAll(async () => {
        owner = await s.visit(undefined, FORMS[form as Form]);
        owner.page.setDefaultTimeout(60_000);
      });
      afterAll(() => owner.close());
      test.each(states.map((state) => [state.name, state] as const))(
        "%s has no violation, does not scroll sideways, and is not cut off",
        async (_name, state) => expect(await adminStateFaults(owner.page, s.origin, state, content)).toEqual([]),
        120_000,
      );
      test("the states include every page of the list", async () => {
        await owner.open("/console/admin/account");
        // A narrow window hides the list.
        const links = owner.page.locator('nav[aria-label="Pages of the administration"] a');
        await links.first().waitFor({ state: "attached" });
        const paths = await links.evaluateAll((found) => found.map((link) => link.getAttribute("href")));
        const examinedPaths = ADMIN_PAGES.map(({ path }) => `/console/admin${path(content)}`);
        expect(paths.length).toBeGreaterThan(0);
        expect(paths.filter((path) => !examinedPaths.includes(path ?? ""))).toEqual([]);
      });
      test("the browser reported no errors", () => expect(owner.errors).toEqual([]));
    });
  });
};
