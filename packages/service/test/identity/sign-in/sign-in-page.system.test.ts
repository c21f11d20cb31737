import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { PASSWORD } from "../authentication/session-harness.ts";
import { pagesHarness, type PagesHarness } from "./pages-harness.ts";
import { untilQuarterMs } from "../../quarter-hour.ts";

let s: PagesHarness;
beforeAll(async () => {
  s = await pagesHarness();
});
afterAll(() => s.close());

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const storedToken = (page: Page) => page.evaluate(() => localStorage.getItem("parley-session-token"));

test("signing in by password opens the profile, and a reload keeps the session", async () => {
  const { page, faults } = await s.open("/sign-in?account=acme");
  expect(await page.getByLabel("Account", { exact: true }).inputValue()).toBe("acme");
  await s.signInOn(page, "olivia@acme.example");
  await page.waitForURL("**/profile");
  await page.getByText("olivia@acme.example").first().waitFor();
  await page.reload();
  await page.getByText("olivia@acme.example").first().waitFor();
  const cookies = await page.context().cookies();
  expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
    ["parley_session", true, "Lax"],
  ]);
  expect(await page.evaluate(() => document.cookie)).toBe("");
  // A signed-in browser is led on.
  await page.goto(`${s.origin}/sign-in`);
  await page.waitForURL("**/profile");
  expect(faults).toEqual([]);
});

test("a wrong password is announced at its field, which gets the focus, and the right one still signs in", async () => {
  await s.signIn("noah@acme.example");
  const { page, faults } = await s.open("/sign-in?account=acme");
  await s.signInOn(page, "noah@acme.example", "wrong password");
  const field = page.getByLabel("Password", { exact: true });
  await page.getByText("The e-mail address or the password is wrong.").waitFor();
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expect(await field.evaluate((element) => document.activeElement === element)).toBe(true);
  const description = await field.evaluate((element) =>
    (element.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent)
      .join(" "),
  );
  expect(description).toContain("The e-mail address or the password is wrong.");
  expect(new URL(page.url()).search).toBe("?account=acme");
  await field.fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForURL("**/profile");
  expect(faults).toEqual([]);
});

test("empty fields are named without a request, by the keyboard alone", async () => {
  const { page } = await s.open("/sign-in");
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.locator("#account:focus").waitFor();
  await page.keyboard.press("Enter");
  for (const text of ["Enter the name of the account.", "Enter your e-mail address.", "Enter your password."])
    await page.getByText(text).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("account");
  expect(requests).toEqual([]);
});

test("a password can be shown and hidden", async () => {
  const { page } = await s.open("/sign-in");
  const field = page.locator("#password");
  await field.fill("secret");
  await button(page, "Show password").click();
  expect(await field.getAttribute("type")).toBe("text");
  await button(page, "Hide password").click();
  expect(await field.getAttribute("type")).toBe("password");
});

test("after too many attempts the page says when to try again", async () => {
  await s.signIn("maya@acme.example");
  const { page, faults } = await s.open("/sign-in?account=acme");
  s.advance(untilQuarterMs());
  const body = { account: "acme", email: "maya@acme.example", password: "wrong password" };
  for (let attempt = 0; attempt < 20; attempt++) await s.page("POST", "/identity/sign-in", { body });
  await s.signInOn(page, "maya@acme.example", PASSWORD);
  const alert = page.getByRole("alert").filter({ hasText: "Too many attempts failed." });
  await alert.waitFor();
  expect(await alert.textContent()).toMatch(/^Too many attempts failed\. Try again in \d+ (?:minutes|seconds)\.$/);
  expect(faults).toEqual([]);
});

test("the account's own host names the account: the form has no field for it", async () => {
  const { page } = await s.open("/sign-in");
  expect(await page.locator("#account").isVisible()).toBe(true);
  const { port } = new URL(s.url);
  await s.signIn("olivia@acme.example");
  const own = await s.browser.newPage();
  await own.goto(`http://acme.parley.localhost:${port}/sign-in`);
  expect(await own.getByLabel("Account", { exact: true }).count()).toBe(0);
  await own.getByText("Account acme").waitFor();
  await own.getByLabel("E-mail address").fill("olivia@acme.example");
  await own.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await button(own, "Sign in").click();
  await own.waitForURL("**/profile");
  await own.context().close();
});

test("after the sign-in the page opens the path in next, and no address of another site", async () => {
  const { page } = await s.open("/sign-in?account=acme&next=%2Fdocs%2Ferrors%3Fa%3Db");
  await s.signInOn(page, "olivia@acme.example");
  await page.waitForURL(`${s.origin}/docs/errors?a=b`);
  for (const next of [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "/\t/evil.example",
  ]) {
    await page.goto(`${s.origin}/sign-in?next=${encodeURIComponent(next)}`);
    await page.waitForURL(`${s.origin}/profile`);
  }
});

test("the second factor is asked for: a wrong code, the app's code, and a recovery code once", async () => {
  const email = "diego@acme.example";
  const session = await s.signIn(email);
  const begun = await s.page<{ secret: string }>("POST", "/identity/second-factor", {
    session,
    body: { current_password: PASSWORD },
  });
  const { secret } = begun.body;
  const confirmed = await s.page<{ recovery_codes: string[] }>("PUT", "/identity/second-factor", {
    session,
    body: { code: s.codeOf(secret) },
  });
  const [recovery = ""] = confirmed.body.recovery_codes;
  s.advance(30_000);

  const { page, faults } = await s.open("/sign-in?account=acme");
  await s.signInOn(page, email, PASSWORD);
  const code = page.getByLabel("Code", { exact: true });
  await code.waitFor();
  expect(await code.evaluate((element) => document.activeElement === element)).toBe(true);
  expect(await storedToken(page)).toBeNull();
  await code.fill("000000");
  await button(page, "Continue").click();
  await page.getByText("The code is wrong, expired or was used before.").waitFor();
  await code.fill(s.codeOf(secret));
  await button(page, "Continue").click();
  await page.waitForURL("**/profile");
  expect(faults).toEqual([]);

  const signInByRecovery = async () => {
    const other = await s.open("/sign-in?account=acme");
    await s.signInOn(other.page, email, PASSWORD);
    await button(other.page, "Use a recovery code").click();
    await other.page.getByLabel("Recovery code", { exact: true }).fill(recovery);
    await button(other.page, "Continue").click();
    return other.page;
  };
  await (await signInByRecovery()).waitForURL("**/profile");
  const again = await signInByRecovery();
  await again.getByText("The code is wrong, expired or was used before.").waitFor();

  // The challenge expires: the page begins again.
  s.advance(6 * 60_000);
  await again.getByLabel("Recovery code", { exact: true }).fill("AAAA-AAAA-AAAA-AAAA");
  await button(again, "Continue").click();
  await again.getByText("The time for the second factor is over. Sign in again.").waitFor();
  expect(await again.getByLabel("E-mail address").isVisible()).toBe(true);
});

test("a sign-in in another tab is noticed by the form", async () => {
  const { page } = await s.open("/sign-in?account=acme");
  const other = await s.openTab(page, "/sign-in?account=acme");
  await s.signInOn(other, "olivia@acme.example");
  await other.waitForURL("**/profile");
  await page.waitForURL("**/profile");
});
