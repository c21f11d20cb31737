import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleAccount } from "../../support/account.ts";
import { adminPageFaults } from "../../support/admin-faults.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";
import { temporaryFolder } from "../../../support/parley-process.ts";
import { publishGreeter } from "../../support/published-greeter.ts";

/** The dialogs of apps in German, whose texts are longer, in a narrow and in a wide window: nothing is cut, and nothing scrolls sideways. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;
let packages: Awaited<ReturnType<typeof temporaryFolder>>;
const app = { account: "acme", name: "greeter" };

beforeAll(async () => {
  [s, packages] = await Promise.all([consoleHarness(), temporaryFolder("parley-apps-")]);
  owner = await s.visit(undefined, { locale: "de-DE", viewport: { width: 360, height: 740 }, colorScheme: "dark" });
  ({ page } = owner);
  await publishGreeter("1.0.0", packages.folder, s.dataFolder);
}, 180_000);
afterAll(async () => {
  await s.stop();
  await packages.remove();
});

/** Runs in the page. -> elements of the dialog whose content is wider than they are, and buttons that are outside of the window */
const cutElements = (): string[] => {
  const dialog = document.querySelector("[role=dialog], [role=alertdialog]");
  if (!dialog) return ["there is no dialog"];
  const name = (element: Element): string => `${element.tagName} ${element.textContent?.slice(0, 40) ?? ""}`;
  const isUnseen = (element: Element): boolean => element.closest(".visually-hidden, [aria-hidden=true]") !== null;
  const cut = [...dialog.querySelectorAll("*:not(textarea, input, svg, svg *)")].filter(
    (element) =>
      element.scrollWidth > element.clientWidth + 1 &&
      !isUnseen(element) &&
      getComputedStyle(element).overflowX !== "visible",
  );
  const outside = [...dialog.querySelectorAll("button, a, input, textarea")].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 1 && !isUnseen(element) && (left < 0 || right > innerWidth);
  });
  return [...cut.map((element) => `cut: ${name(element)}`), ...outside.map((element) => `outside: ${name(element)}`)];
};
const WINDOWS = [
  { width: 360, height: 740 },
  { width: 1_440, height: 900 },
] as const;

/** Examines the open dialog, in each window. */
const expectNoFaults = async (): Promise<void> => {
  for (const viewport of WINDOWS) {
    await page.setViewportSize(viewport);
    expect([viewport.width, await adminPageFaults(page), await page.evaluate(cutElements)]).toEqual([
      viewport.width,
      [],
      [],
    ]);
  }
  await page.setViewportSize(WINDOWS[0]);
};
const dialog = () => page.getByRole("dialog");
const openApp = async (): Promise<void> => {
  await owner.open("/console/admin/apps/greeter");
  await page.getByRole("heading", { name: "Greeter", level: 1 }).waitFor();
};

test("the examination finds a dialog whose content is cut", async () => {
  await owner.open("/console/admin/apps");
  await page.getByRole("button", { name: "Greeter installieren" }).click();
  await dialog().waitFor();
  await page.evaluate(() => {
    const wide = document.createElement("div");
    wide.style.cssText = "overflow: hidden; white-space: nowrap";
    wide.textContent = "x".repeat(200);
    document.querySelector("[role=dialog] p")?.append(wide);
  });
  expect(await page.evaluate(cutElements)).toContainEqual(expect.stringMatching(/^cut: DIV xxx/));
});

test("the dialog of an app in the catalogue", async () => {
  await owner.open("/console/admin/apps");
  await page.getByRole("button", { name: "Greeter installieren" }).click();
  await dialog().getByText("Schreibt Nachrichten in Unterhaltungen.").waitFor();
  await expectNoFaults();
  await page.keyboard.press("Escape");
  await owner.administration.platform.installApp({ params: app, body: { name: app.name } });
});

test("the dialogs of a call, and for raising an event", async () => {
  await s.beginConversation("Kim Customer", "hi ".repeat(200));
  await eventually(async () => {
    const { invocations } = await owner.administration.platform.listInvocations({
      params: app,
      query: { event: "onMessageCreate" },
    });
    expect(invocations.length).toBeGreaterThan(0);
  }, 40_000);
  await openApp();
  await page
    .getByRole("button", { name: /^Den Aufruf onMessageCreate/ })
    .first()
    .click();
  await dialog().getByText("Protokollzeilen").waitFor();
  await expectNoFaults();
  await dialog().getByRole("button", { name: "Erneut auslösen" }).click();
  await dialog().getByRole("textbox").waitFor();
  await expectNoFaults();
  await dialog().getByRole("textbox").fill("{");
  await dialog().getByRole("button", { name: "Ein Ereignis auslösen" }).click();
  await dialog().getByText("Das ist kein JSON").waitFor();
  await expectNoFaults();
}, 120_000);

test("the dialogs for an upgrade, a pause and the removal", async () => {
  await publishGreeter("2.0.0", packages.folder, s.dataFolder);
  await openApp();
  await page.getByRole("button", { name: "Auf 2.0.0 aktualisieren" }).click();
  await dialog().getByText("Zusätzlich gilt").waitFor();
  await expectNoFaults();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Anhalten" }).click();
  await page.getByRole("alertdialog").waitFor();
  await expectNoFaults();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Deinstallieren" }).click();
  await dialog().getByRole("button", { name: "Deinstallieren" }).click();
  await dialog().getByText("Das ist nicht greeter.").waitFor();
  await expectNoFaults();
  await page.keyboard.press("Escape");
}, 120_000);

test("the dialog for deleting a schedule, and the page with tables in every section", async () => {
  const customer = await s.beginConversation("Lee Customer", "schedule 3600000 a-name-with-thirty-characters");
  await customer.write("schedule 500 late");
  await customer.write("break");
  await eventually(async () => {
    const { schedules, failed } = await owner.administration.platform.listSchedules({ params: app });
    expect([schedules.length > 0, failed.length]).toEqual([true, 1]);
  }, 60_000);
  await openApp();
  await page.getByText(customer.id).first().waitFor();
  await page.getByText("Late on purpose").first().waitFor();
  for (const viewport of WINDOWS) {
    await page.setViewportSize(viewport);
    expect([viewport.width, await adminPageFaults(page)]).toEqual([viewport.width, []]);
  }
  await page.setViewportSize(WINDOWS[0]);
  await page.getByRole("button", { name: "Den Zeitplan a-name-with-thirty-characters löschen" }).click();
  await page.getByRole("alertdialog").waitFor();
  await expectNoFaults();
}, 120_000);

test("the dialogs of an admin who may not create keys", async () => {
  const account = consoleAccount(s);
  const { email } = await account.agent({ name: "Ada Admin", role: "ADMIN" });
  const admin = await s.visit(email, { locale: "de-DE", viewport: WINDOWS[0] });
  await admin.open("/console/admin/apps/greeter");
  await admin.page.getByRole("button", { name: "Auf 2.0.0 aktualisieren" }).click();
  await admin.page.getByText("den nur ein Agent mit der Rolle Account admin erzeugen kann").waitFor();
  expect([await adminPageFaults(admin.page), await admin.page.evaluate(cutElements)]).toEqual([[], []]);
  await admin.close();
}, 60_000);

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
