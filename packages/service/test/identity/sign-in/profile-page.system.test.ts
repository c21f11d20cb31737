import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { PASSWORD } from "../authentication/session-harness.ts";
import { held } from "../../held.ts";
import {
  accessibilityFaults,
  LOOKS,
  pagesHarness,
  usernamesOf,
  type PagesHarness,
  type VisitedPage,
} from "./pages-harness.ts";

let s: PagesHarness;
beforeAll(async () => {
  s = await pagesHarness();
});
afterAll(() => s.close());

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", typeof name === "string" ? { name, exact: true } : { name });
const section = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** The profile of an agent who just signed in. */
const profileOf = async (email: string, options = {}): Promise<VisitedPage> => {
  const visit = await s.open("/sign-in?account=acme", options);
  await s.signInOn(visit.page, email);
  await visit.page.waitForURL("**/profile");
  await section(visit.page, "Sessions").waitFor();
  return visit;
};

test("the profile shows the agent with its account, role and scope, and admins the administration in the console", async () => {
  const { page, faults } = await profileOf("olivia@acme.example");
  await page.getByRole("heading", { level: 1, name: /^Olivia/ }).waitFor();
  for (const text of ["olivia@acme.example", "acme", "Account admin", "All conversations"])
    await page.locator("dd").getByText(text, { exact: true }).waitFor();
  const administration = section(page, "Administration").getByRole("link");
  expect(await administration.getAttribute("href")).toBe("/console/admin");
  const agent = await profileOf("diego@acme.example");
  await agent.page.locator("dd").getByText("Agent", { exact: true }).waitFor();
  expect(await section(agent.page, "Administration").count()).toBe(0);
  expect([faults, agent.faults]).toEqual([[], []]);
});

test.each(LOOKS)("the sign-in and the profile are accessible, %s", async (_, options) => {
  const { page } = await s.open("/sign-in", { ...options, bypassCSP: true });
  await button(page, "Sign in").click();
  await page.getByText("Enter your password.").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await s.signInOn(page, "olivia@acme.example");
  await section(page, "Sessions").waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
});

test("without a session the profile leads to the sign-in, which leads back", async () => {
  const { page, faults } = await s.open("/profile");
  await page.waitForURL("**/sign-in?next=%2Fprofile");
  expect(await page.getByText("Your session has ended.").isVisible()).toBe(false);
  await s.signInOn(page, "olivia@acme.example");
  await page.waitForURL("**/profile");
  expect(faults).toEqual([]);
});

test("signing out ends the session, in other tabs too", async () => {
  const { page, faults } = await profileOf("noah@acme.example");
  const tab = await s.openTab(page, "/profile");
  await section(tab, "Sessions").waitFor();
  const token = await page.evaluate(() => localStorage.getItem("parley-session-token"));
  const [cookie] = await page.context().cookies();
  const session = { cookie: `parley_session=${cookie?.value}`, token: token ?? "" };
  expect((await s.page("GET", "/identity/session", { session })).code).toBe(200);
  await button(page, "Sign out").click();
  for (const each of [page, tab]) {
    await each.waitForURL("**/sign-in?account=acme");
    await each.getByText("You are signed out.").waitFor();
  }
  expect((await s.page("GET", "/identity/session", { session })).code).toBe(401);
  expect(await page.context().cookies()).toEqual([]);
  expect(await page.evaluate(() => localStorage.getItem("parley-session-token"))).toBeNull();
  await page.goto(`${s.origin}/profile`);
  await page.waitForURL("**/sign-in?next=%2Fprofile");
  expect(faults).toEqual([]);
});

test("a failed sign-out says that the session goes on", async () => {
  const { page } = await profileOf("noah@acme.example");
  await page.route("**/identity/session", (route) => route.abort());
  await button(page, "Sign out").click();
  await page.getByText("You are still signed in. The service can’t be reached.").waitFor();
});

describe("the list of sessions", () => {
  test("names devices and addresses, ends one session, and all others", async () => {
    const { page, faults } = await profileOf("maya@acme.example");
    const others: VisitedPage[] = [];
    for (const userAgent of [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
      "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    ]) {
      const other = await s.open("/sign-in?account=acme", { userAgent });
      await s.signInOn(other.page, "maya@acme.example", PASSWORD);
      await other.page.waitForURL("**/profile");
      others.push(other);
    }
    await page.reload();
    const list = section(page, "Sessions").getByRole("listitem");
    await list.nth(3).waitFor();
    const texts = await list.allInnerTexts();
    expect(texts.map((text) => text.split("\n")[0]?.trim())).toEqual([
      "Firefox on Linux",
      "Safari on iPhone",
      expect.stringMatching(/^Chrome on Linux\s+This session$/),
      // The request that chose the password.
      "node",
    ]);
    expect(texts[0]).toMatch(/127\.0\.0\.1 · signed in by password, .*\d{4}/);
    expect(await list.nth(2).getByRole("button").count()).toBe(0);

    await button(page, "End the session of Firefox on Linux, 127.0.0.1").click();
    await page.getByText("The session has ended.").waitFor();
    expect(await list.count()).toBe(3);
    const [phone, firefox] = others as [VisitedPage, VisitedPage];
    await firefox.page.reload();
    await firefox.page.waitForURL("**/sign-in?next=%2Fprofile");
    await firefox.page.getByText("Your session has ended.").waitFor();

    // The new list arrives late: until then, the page does not say that the sessions have ended.
    const [asked, answered] = [held(), held()];
    await page.route("**/identity/sessions", async (route) => {
      asked.release();
      await answered.promise;
      await route.continue();
    });
    await button(page, "End all other sessions").click();
    await asked.promise;
    expect(await page.getByText("The other sessions have ended.").count()).toBe(0);
    answered.release();
    await page.getByText("The other sessions have ended.").waitFor();
    expect(await list.count()).toBe(1);
    expect(await button(page, "End all other sessions").count()).toBe(0);
    // An action of a page that is still open.
    s.expireCaches();
    await button(phone.page, "Set up").click();
    await phone.page.getByText("Enter your current password.").waitFor();
    await phone.page.locator("#factor-password").fill(PASSWORD);
    await button(phone.page, "Set up").click();
    await phone.page.waitForURL("**/sign-in?next=%2Fprofile");
    expect([faults, phone.faults, firefox.faults]).toEqual([[], [], []]);
  });
});

describe("the password", () => {
  test("is changed with the current one, which ends the other sessions", async () => {
    const { page, faults } = await profileOf("hannah@acme.example");
    const session = await s.page<{ session_token: string }>("POST", "/identity/sign-in", {
      body: { account: "acme", email: "hannah@acme.example", password: PASSWORD },
    });
    expect(session.code).toBe(200);
    await page.reload();
    await section(page, "Sessions").getByRole("listitem").nth(1).waitFor();
    const own = section(page, "Password");
    await own.getByLabel("Current password", { exact: true }).fill("wrong password");
    await own.getByLabel("New password", { exact: true }).fill("short");
    await button(page, "Save password").click();
    await own.getByText("The password must have at least 10 characters.").waitFor();
    await own.getByLabel("New password", { exact: true }).fill("another long password");
    await button(page, "Save password").click();
    await own.getByText("The current password is missing or wrong.").waitFor();
    await own.getByLabel("Current password", { exact: true }).fill(PASSWORD);
    await button(page, "Save password").click();
    await own.getByText("The password was saved. Your other sessions have ended.").waitFor();
    // The forms of the password and of the second factor; the first one was cleared.
    expect(await usernamesOf(page)).toEqual(["hannah@acme.example", "hannah@acme.example"]);
    // The list is read again after the change.
    await waitUntil(async () => (await section(page, "Sessions").getByRole("listitem").count()) === 1);
    await button(page, "Sign out").click();
    await page.waitForURL("**/sign-in?account=acme");
    await s.signInOn(page, "hannah@acme.example", "another long password");
    await page.waitForURL("**/profile");
    expect(faults).toEqual([]);
  });

  test("is chosen after a sign-in by a link, without a current one", async () => {
    const { page, faults } = await s.open(await s.signInLink("aisha@acme.example"));
    await button(page, "Sign in").click();
    await page.waitForURL("**/profile");
    const own = section(page, "Password");
    await own.getByText("You have no password yet.").waitFor();
    expect(await own.getByLabel("Current password", { exact: true }).isVisible()).toBe(false);
    await own.getByLabel("New password", { exact: true }).fill("another long password");
    await button(page, "Save password").click();
    await own.getByText("The password was saved.").waitFor();
    await own.getByLabel("Current password", { exact: true }).waitFor();
    expect(faults).toEqual([]);
  });
});

test("the second factor is set up with a QR code, its recovery codes are shown once and renewed, and it is removed", async () => {
  const { page, faults } = await profileOf("kenji@acme.example", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const own = section(page, "Second factor");
  await own.getByLabel("Current password", { exact: true }).fill(PASSWORD);
  await button(page, "Set up").click();
  const image = own.getByRole("img", { name: /^QR code/ });
  await image.waitFor();
  await page.waitForFunction(() => (document.querySelector<HTMLImageElement>("[data-qr]")?.naturalWidth ?? 0) > 0);
  const secret = await own.locator("[data-factor-secret]").innerText();
  const uri = await own.getByRole("link", { name: "open it in an app on this device" }).getAttribute("href");
  expect(uri).toContain(`secret=${secret.replaceAll(" ", "")}`);
  await own.getByLabel("Code", { exact: true }).fill("000000");
  await button(page, "Turn on").click();
  await own.getByText("The code is wrong, expired or was used before.").waitFor();
  await own.getByLabel("Code", { exact: true }).fill(s.codeOf(secret));
  await button(page, "Turn on").click();

  const codes = own.locator("[data-codes] li");
  await codes.nth(9).waitFor();
  const shown = await codes.allInnerTexts();
  expect(shown).toHaveLength(10);
  await button(page, "Copy").click();
  await own.getByText("The codes were copied.").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(shown.join("\n"));
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("parley-recovery-codes.txt");
  expect(await readFile(await download.path(), "utf8")).toContain(shown.join("\n"));
  // The printed page contains the codes, and nothing of the other sections.
  await page.emulateMedia({ media: "print" });
  expect([await codes.first().isVisible(), await section(page, "Sessions").isVisible()]).toEqual([true, false]);
  await page.emulateMedia({ media: "screen" });
  await button(page, "I have kept them").click();
  await own.getByText("10 recovery codes are left.").waitFor();
  expect(await page.content()).not.toContain(shown[0]);

  s.advance(30_000);
  await own.getByText("New recovery codes").click();
  await own.locator("#renew-code").fill(shown[0] ?? "");
  await button(page, "Get new codes").click();
  await codes.nth(9).waitFor();
  expect(await codes.allInnerTexts()).not.toEqual(shown);
  await button(page, "I have kept them").click();

  await own.getByText("Remove the second factor").click();
  await own.locator("#remove-code").fill(s.codeOf(secret));
  await button(page, "Remove").click();
  await own.getByText("The second factor was removed.").waitFor();
  await own.getByLabel("Current password", { exact: true }).waitFor();
  expect(faults).toEqual([]);
});

test("a second factor that was set up elsewhere meanwhile is reported, and the section shows its state", async () => {
  const { page } = await profileOf("noah@acme.example");
  const own = section(page, "Second factor");
  await own.getByLabel("Current password", { exact: true }).fill(PASSWORD);
  await button(page, "Set up").click();
  await own.getByLabel("Code", { exact: true }).waitFor();
  const [cookie] = await page.context().cookies();
  const token = (await page.evaluate(() => localStorage.getItem("parley-session-token"))) ?? "";
  const session = { cookie: `parley_session=${cookie?.value}`, token };
  const secret = await own.locator("[data-factor-secret]").innerText();
  await s.page("PUT", "/identity/second-factor", { session, body: { code: s.codeOf(secret) } });
  await own.getByLabel("Code", { exact: true }).fill(s.codeOf(secret));
  await button(page, "Turn on").click();
  await own.getByText("The second factor was changed elsewhere meanwhile.").waitFor();
  await own.getByText("10 recovery codes are left.").waitFor();
});
