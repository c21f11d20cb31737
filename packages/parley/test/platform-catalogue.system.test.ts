import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../framework/test/support/browser.ts";
import { greeter } from "./greeter-app.ts";
import { originOf, platformHarness, type PlatformHarness } from "./platform-harness.ts";

/** The page where an admin finds, installs, pauses and resumes apps, in a browser, signed in by the link of `parley sign-in`. */

let platform: PlatformHarness;
let browser: Browser;
let page: Page;
let axe = "";

const signIn = async (visitor: Page, account: string): Promise<void> => {
  const { link } = await platform.service.admin.createSignInLink({
    account,
    origin: `http://localhost:${platform.service.port}`,
  });
  await visitor.goto(link);
  await visitor.getByRole("button", { name: "Sign in" }).click();
  await visitor.waitForURL(/\/profile/);
};

beforeAll(async () => {
  axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  [platform, browser] = await Promise.all([platformHarness(), launchBrowser()]);
  await platform.publish(greeter("1.0.0"));
  await platform.publish(greeter("1.0.0"), "name=other-greeter");
  await platform.install("acme");
  page = await (await browser.newContext()).newPage();
  await signIn(page, "acme");
});
afterAll(async () => {
  await browser?.close();
  await platform?.close();
});

const cataloguePage = () => `${platform.platform.appsOrigin}/catalogue`;
const card = (title: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: title, exact: true }) });
const stateOf = async (name: string): Promise<unknown> =>
  (await platform.request("GET", `/platform/accounts/acme/apps/${name}`)).body["state"];
const violations = async (): Promise<unknown[]> => {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } };
    return (await checker.run()).violations.map(({ id }) => id);
  });
};

describe("the catalogue page", () => {
  test("shows the installed and the available apps of the account to a signed-in admin", async () => {
    await page.goto(cataloguePage());
    expect(page.url()).toBe(cataloguePage());
    expect(await page.locator("header").innerText()).toContain("Account acme, signed in as");
    const sections = (name: string) => page.getByRole("region", { name }).getByRole("heading", { level: 3 });
    expect(await sections("Installed").allInnerTexts()).toEqual(["Greeter"]);
    expect(await sections("Available").allInnerTexts()).toEqual(["Other greeter"]);
  });

  test.each([
    [360, "light"],
    [360, "dark"],
    [1280, "light"],
    [1280, "dark"],
  ] as const)(
    "has no accessibility violations and no horizontal scrolling at %i px, %s",
    async (width, colorScheme) => {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.goto(cataloguePage());
      expect(await violations()).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    },
  );

  test("pauses an app and resumes it", async () => {
    await page.goto(cataloguePage());
    await card("Greeter").getByRole("button", { name: "Pause Greeter" }).click();
    await card("Greeter").getByText("Paused: its events wait until you resume it.").waitFor();
    expect(await stateOf("greeter")).toBe("paused");
    await card("Greeter").getByRole("button", { name: "Resume Greeter" }).click();
    await card("Greeter").getByRole("button", { name: "Pause Greeter" }).waitFor();
    expect(await stateOf("greeter")).toBe("active");
  });

  test("says why a change is refused, and changes nothing", async () => {
    await page.goto(cataloguePage());
    await platform.request("DELETE", "/platform/accounts/acme/apps/greeter");
    await card("Greeter").getByRole("button", { name: "Pause Greeter" }).click();
    await page.getByRole("status").getByText("The app is not installed on this account.").waitFor();
    await platform.install("acme");
  });

  test("leads to the installation page of an app, which installs it without another sign-in", async () => {
    await page.goto(cataloguePage());
    await card("Other greeter").getByRole("link", { name: "Install Other greeter" }).click();
    await page.waitForURL(/other-greeter--acme\.apps\.localhost:\d+\/custom_configs/);
    await page.getByRole("button", { name: /^install/i }).waitFor();
    const { body } = await platform.admin("POST", "/admin/accounts/acme/tokens", { name: "other greeter" });
    await page.locator("#domain").fill("acme.parley.localhost");
    await page.locator("#api_key").fill(String(body["token"]));
    await page.getByRole("button", { name: /^install/i }).click();
    await page.getByText(/successfully/i).waitFor();
    expect(await stateOf("other-greeter")).toBe("active");
  });

  test("offers the upgrade and the return to the earlier version", async () => {
    await platform.publish(greeter("1.1.0"));
    await page.goto(cataloguePage());
    expect(await card("Greeter").innerText()).toContain("Version 1.0.0; version 1.1.0 is available");
    const upgrade = card("Greeter").getByRole("link", { name: "Upgrade Greeter" });
    expect(await upgrade.getAttribute("href")).toMatch(/\/custom_configs\?version=1\.1\.0$/);
    await platform.request("POST", "/platform/accounts/acme/apps/greeter/upgrade", {});
    await page.goto(cataloguePage());
    await card("Greeter").getByRole("button", { name: "Return to version 1.0.0 of Greeter" }).click();
    await upgrade.waitFor();
    expect(await card("Greeter").innerText()).toContain("Version 1.0.0; version 1.1.0 is available");
  });

  test("a person who opens the address of an unknown app gets a page that says so", async () => {
    const unknown = await (await browser.newContext()).newPage();
    const reply = await unknown.goto(cataloguePage().replace("://", "://nothing--acme.").replace("/catalogue", "/"));
    expect(reply?.status()).toBe(404);
    expect(await unknown.getByRole("heading").innerText()).toBe("This page can’t be opened");
    expect(await unknown.locator("p").innerText()).toContain("This account has no such app.");
    await unknown.context().close();
  });

  test("says why an app can't be installed whose name does not fit into a host name beside the account's", async () => {
    const account = "an-account-with-a-name-of-forty-8-letters-in-all";
    await platform.admin("POST", "/admin/accounts", { name: account, owner: { email: "ada@lumen.example" } });
    const admin = await (await browser.newContext({ viewport: { width: 320, height: 800 } })).newPage();
    await signIn(admin, account);
    await admin.goto(cataloguePage());
    expect(await admin.getByRole("listitem").first().innerText()).toContain(
      `the names greeter and ${account} have more than 54 characters together`,
    );
    expect(await admin.getByRole("link", { name: /^Install/ }).count()).toBe(0);
    expect(await admin.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await admin.context().close();
  });

  test("sends a visitor without a session to the sign-in page, and shows nothing of the account", async () => {
    const visitor = await (await browser.newContext()).newPage();
    await visitor.goto(cataloguePage());
    expect(new URL(visitor.url()).port).toBe(String(new URL(originOf(platform.service)).port));
    expect(await visitor.locator("body").innerText()).toContain("Sign in");
    expect(await visitor.content()).not.toContain("Greeter");
    await visitor.context().close();
  });
});
