import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { PASSWORD } from "../authentication/session-harness.ts";
import { accessibilityFaults, LOOKS, pagesHarness, type PagesHarness } from "./pages-harness.ts";

/** Folder for screenshots of every state, if set. */
const SCREENSHOT_FOLDER = process.env["SIGN_IN_PICTURES"];

let s: PagesHarness;
beforeAll(async () => {
  s = await pagesHarness();
});
afterAll(() => s.close());

const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
const nothing = async () => undefined;

/** Signs in with the form, as far as the page's own profile. */
const toProfile = async (page: Page, email: string) => {
  await s.signInOn(page, email);
  await page.waitForURL("**/profile");
  await page.getByRole("region", { name: "Sessions" }).waitFor();
};

/** Fills in the code for the secret that the page shows. */
const fillCode = async (page: Page) => {
  await page.locator("#factor-code").waitFor();
  await page.locator("#factor-code").fill(s.codeOf(await page.locator("[data-factor-secret]").innerText()));
};

/** States: the name, the path of the page, and the actions that lead to the state. */
const STATES: [name: string, path: () => string | Promise<string>, actions: (page: Page) => Promise<unknown>][] = [
  ["sign-in", () => "/sign-in", nothing],
  [
    "sign-in with errors",
    () => "/sign-in?account=acme",
    async (page) => {
      await press(page, "Sign in");
      await page.getByText("Enter your password.").waitFor();
    },
  ],
  [
    "sign-in refused with a notice",
    () => "/sign-in?account=acme#ended",
    async (page) => {
      await s.signInOn(page, "nobody@acme.example", "a wrong password");
      await page.getByText("The e-mail address or the password is wrong.").waitFor();
    },
  ],
  [
    "second factor",
    () => "/sign-in",
    async (page) => {
      await s.signInOn(page, "aisha@acme.example", PASSWORD);
      await page.getByLabel("Code", { exact: true }).fill("000000");
      await press(page, "Continue");
      await page.getByText("The code is wrong").waitFor();
    },
  ],
  ["forgot password without mail", () => "/sign-in/forgot", (page) => page.getByText("does not send e-mail").waitFor()],
  [
    "forgot password",
    () => "/sign-in/forgot?account=acme",
    async (page) => {
      // The form is shown if the page can't learn whether the service sends e-mail.
      await page.route("**/identity/sign-in-methods*", (route) => route.abort());
      await page.reload();
      await press(page, "Send the link");
      await page.getByText("Enter your e-mail address.", { exact: true }).waitFor();
    },
  ],
  [
    "forgot password, sent",
    () => "/sign-in/forgot?account=acme",
    async (page) => {
      await page.route("**/identity/sign-in-methods*", (route) => route.abort());
      await page.reload();
      await page.getByLabel("E-mail address").fill("olivia@acme.example");
      await press(page, "Send the link");
      await page.getByText("If the address belongs to an agent").waitFor();
    },
  ],
  ["link", () => s.signInLink("olivia@acme.example"), nothing],
  ["link that can’t be used", () => "/sign-in/link/abc", (page) => press(page, "Sign in")],
  ["no such page", () => "/sign-in/nothing", nothing],
  [
    "invitation",
    () => s.invite("hannah@acme.example"),
    async (page) => {
      await page.getByLabel("New password", { exact: true }).fill("short");
      await press(page, "Show new password");
      await press(page, "Save and sign in");
      await page.getByText("at least 10 characters.").waitFor();
    },
  ],
  ["invitation that can’t be used", () => "/sign-in/password#abc", (page) => page.getByText("is unknown").waitFor()],
  ["profile of an admin", () => "/sign-in", (page) => toProfile(page, "olivia@acme.example")],
  [
    "profile with errors and a new second factor",
    () => "/sign-in",
    async (page) => {
      await toProfile(page, "diego@acme.example");
      await press(page, "Save password");
      await page.locator("#factor-password").fill(PASSWORD);
      await press(page, "Set up");
      await page.waitForFunction(() => (document.querySelector<HTMLImageElement>("[data-qr]")?.naturalWidth ?? 0) > 0);
    },
  ],
  [
    "profile with recovery codes and several sessions",
    () => "/sign-in",
    async (page) => {
      await toProfile(page, "kenji@acme.example");
      await page.locator("#factor-password").fill(PASSWORD);
      await press(page, "Set up");
      await fillCode(page);
      await s.page("POST", "/identity/sign-in", {
        body: { account: "acme", email: "kenji@acme.example", password: PASSWORD },
      });
      await press(page, "Turn on");
      await page.locator("[data-codes] li").nth(9).waitFor();
    },
  ],
  [
    "profile with a second factor",
    () => "/sign-in",
    async (page) => {
      await toProfile(page, "maya@acme.example");
      await page.locator("#factor-password").fill(PASSWORD);
      await press(page, "Set up");
      await fillCode(page);
      await press(page, "Turn on");
      await press(page, "I have kept them");
      for (const text of ["New recovery codes", "Remove the second factor"]) await page.getByText(text).click();
    },
  ],
];

/** An agent with a second factor for each look, since its state is used up by setting it up. */
const prepare = async () => {
  for (const email of ["aisha", "kenji", "maya", "diego"]) {
    const agent = await s.agentId(`${email}@acme.example`);
    await s.adminRequest("DELETE", `/admin/accounts/acme/agents/${agent}/second-factor`);
  }
  const session = await s.signIn("aisha@acme.example");
  const body = { current_password: PASSWORD };
  const { secret } = (await s.page<{ secret: string }>("POST", "/identity/second-factor", { session, body })).body;
  await s.page("PUT", "/identity/second-factor", { session, body: { code: s.codeOf(secret) } });
  s.advance(15 * 60_000);
};

const looks: typeof LOOKS = SCREENSHOT_FOLDER
  ? (["light", "dark"] as const).flatMap((colorScheme) =>
      [360, 1280].map((width): (typeof LOOKS)[number] => [
        `${colorScheme} ${width}`,
        { viewport: { width, height: 800 }, colorScheme },
      ]),
    )
  : LOOKS;

describe.each(looks)("the pages are accessible, %s", (look, options) => {
  beforeAll(prepare, 30_000);
  test.each(STATES)("%s", async (name, path, actions) => {
    const { page, faults } = await s.open(await path(), { ...options, bypassCSP: true });
    await actions(page);
    if (SCREENSHOT_FOLDER)
      await page.screenshot({
        path: join(SCREENSHOT_FOLDER, `${name} ${look}.png`.replaceAll(" ", "-")),
        fullPage: true,
      });
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
