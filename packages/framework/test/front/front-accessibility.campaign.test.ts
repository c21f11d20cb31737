import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { BrowserContextOptions, Page } from "playwright-core";
import {
  accessibilityViolations,
  frameOf,
  frontFixture,
  settledState,
  VALUES,
  type FrontFixture,
} from "./front-fixture.ts";
import { sampleRows } from "../../../../test/support/campaign.ts";

/** Accessibility of the page with each content: wide, narrow, light, dark. */

const VIEWPORTS = [
  [1_400, 800, "dark"],
  [800, 900, "light"],
  [320, 640, "light"],
  [320, 640, "dark"],
] as const;

let fixture: FrontFixture;
let page: Page;
beforeAll(async () => {
  fixture = await frontFixture("front-pages");
});
afterAll(() => fixture.close());
afterEach(() => page.context().close());

const trigger = async (action: string, options: object) => {
  const frame = await frameOf(page, "index.html");
  return settledState(frame, `client.interface.trigger("${action}", ${JSON.stringify(options)})`);
};
const visit = async (width: number, height: number, colorScheme: BrowserContextOptions["colorScheme"] & string) => {
  page = await fixture.visit("", { viewport: { width, height }, colorScheme, bypassCSP: true });
};

test.each(VIEWPORTS)(
  "the host page at %d × %d, %s, without a conversation and an installation is accessible",
  async (width, height, scheme) => {
    await visit(width, height, scheme);
    await page.getByText("Nobody has written yet.").waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
  },
);

describe("the host page beside a conversation is accessible", () => {
  beforeAll(async () => {
    const long = fixture.service.createConversation("c-1", "Maximiliane".repeat(20), `Where is ${"it".repeat(300)}?`);
    await fixture.deliverMessage(long, "it".repeat(300));
    await fixture.host.install(VALUES);
  });

  const states: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["a modal", () => trigger("showModal", { title: "A long title ".repeat(20), template: "dialogs/child.html" })],
    ["a dialog", () => trigger("showDialog", { title: "Word".repeat(60), template: "dialogs/child.html" })],
    [
      "a question",
      async () => {
        const confirmation = trigger("showConfirm", {
          title: "Delete?",
          message: "x".repeat(900),
          saveLabel: "Yes, ".repeat(20),
        });
        // The page is closed while the request is pending.
        confirmation.catch(() => undefined);
        await page.getByRole("dialog").waitFor();
      },
    ],
    [
      "notices",
      async () => {
        for (const type of ["info", "success", "warning", "danger"])
          await trigger("showNotify", { type, title: "Title", message: `A ${type} `.repeat(30) });
      },
    ],
    [
      "an app that has grown",
      async () => settledState(await frameOf(page, "index.html"), "client.instance.resize({ height: 2000 })"),
    ],
  ];

  // Of the twenty combinations, seven contain each viewport and each state.
  test.each(
    sampleRows(
      VIEWPORTS.flatMap((viewport) => states.map(([name, act]) => [...viewport, name, act] as const)),
      7,
    ),
  )("at %d × %d, %s: %s", async (width, height, scheme, _name, act) => {
    await visit(width, height, scheme);
    await act();
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  describe("with an app with an error", () => {
    beforeAll(() => fixture.write("server/server.js", "exports = {;"));

    test.each(VIEWPORTS)("at %d × %d, %s", async (width, height, scheme) => {
      await visit(width, height, scheme);
      await page.getByRole("heading", { name: "The newest change of this app has an error" }).waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
    });
  });
});
