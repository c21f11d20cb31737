import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../../../packages/framework/test/support/browser.ts";
import { parley, startParley, temporaryFolder, type RunningParley } from "../../support/parley-process.ts";

/** Concierge's installation page in a real browser, on the real service. */

const STORED = "App installation parameters have been successfully stored. You can now proceed to test the app.";
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let running: RunningParley;
let browser: Browser;
let page: Page;
const requests: string[] = [];

beforeAll(async () => {
  data = await temporaryFolder();
  [running, browser] = await Promise.all([startParley(data.folder, { args: ["--no-install"] }), launchBrowser()]);
  // axe is injected despite the page's content policy, which does not change the page itself.
  const context = await browser.newContext({ bypassCSP: true });
  page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.on("request", (request) => void requests.push(request.url()));
});
afterAll(async () => {
  await browser.close();
  await running.stop();
  await data.remove();
});

const save = () => page.getByRole("button", { name: /^(install|save)/i }).click();
const errorAt = (key: string) => page.locator(`[data-field]:has(#${key}) [data-part=error]`);
const hintAt = (key: string) => page.locator(`[data-field]:has(#${key}) [data-part=hint]`);
const errorOf = async (name: string) => {
  const { stdout } = await parley(["chat", "--once", "Hi"], { env: { PARLEY_DATA: data.folder } });
  expect(stdout).toMatch(new RegExp(`^${name}: `));
  return stdout;
};

async function violations() {
  if (!(await page.evaluate(() => "axe" in globalThis)))
    await page.addScriptTag({ content: await readFile(AXE, "utf8") });
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: { id: string }[] }> } };
    return (await axe.run()).violations.map(({ id }) => id);
  });
}

test("an empty form is refused at its fields, with the focus on the summary of errors", async () => {
  await page.goto(running.installPage);
  await save();
  await errorAt("domain").getByText("This field is required!").waitFor();
  await errorAt("api_key").getByText("This field is required!").waitFor();
  await page.locator("[data-notice]:focus").waitFor();
  expect(await violations()).toEqual([]);
});

test("the field of the API key lists the required permissions", async () => {
  await page
    .locator("[data-field]:has(#api_key)")
    .getByText(
      /The key needs these permissions: account:read, user:read, .*csat:create, outbound:create, metric:read\./,
    )
    .waitFor();
});

test("a wrong API key is reported when it is entered, by a request to the account", async () => {
  await page.fill("#domain", "acme");
  await page.fill("#api_key", "parley_wrong");
  await errorAt("api_key").getByText("Domain or API key is not matching").waitFor();
});

test("a valid API key fills the lists, and unchanged settings greet the next customer", async () => {
  await page.fill("#api_key", running.token);
  await page.getByLabel("Support", { exact: true }).waitFor();
  expect(await page.locator("#escalation_group option").allTextContents()).toEqual(
    expect.arrayContaining(["None", "Billing", "Sales", "Support"]),
  );
  await save();
  await page.getByText(STORED).waitFor();
  expect(await violations()).toEqual([]);
  await errorOf("Concierge");
});

test("a changed bot name is in the next greeting, and the page never receives the stored key", async () => {
  await page.goto(running.installPage);
  expect(await page.content()).not.toContain(running.token);
  expect(await page.inputValue("#api_key")).toBe("");
  // The stored key is used for requests and fills the lists, although the page does not know it.
  await page.getByLabel("Support", { exact: true }).waitFor();
  await page.fill("#bot_name", "Iris");
  await save();
  await page.getByText(STORED).waitFor();
  await errorOf("Iris");
});

test("a menu line with an unknown group is an error at its field that names the line", async () => {
  await page.goto(running.installPage);
  await page.fill("#menu", "Buy => Sales\nHelp => Nowhere");
  await save();
  await errorAt("menu")
    .getByText(/line 2/i)
    .waitFor();
  await expect(errorAt("menu").textContent()).resolves.toContain("Nowhere");
  expect(await violations()).toEqual([]);
});

test("an invalid welcome template is an error at its field, and a valid one has a preview", async () => {
  await page.goto(running.installPage);
  await page.fill("#welcome", "Hi {{#if user.first_name}}");
  await page.locator("#welcome").blur();
  await errorAt("welcome")
    .getByText(/line 1/i)
    .waitFor();
  await page.fill("#welcome", "Good day from {{bot.name}}{{#if user.first_name}}, {{user.first_name}}{{/if}}!");
  await hintAt("welcome")
    .getByText(/^Preview for Ada: Good day from Iris, Ada!\nWithout a name: Good day from Iris!\n\nSent once/)
    .waitFor();
});

test("rules are parsed and tried while they are entered", async () => {
  await page.fill("#try_message", "I want my money back");
  await page.fill("#rules", "keyword refund, money back => group Billing; priority High");
  await hintAt("try_message")
    .getByText(/This message would go to the group Billing, priority High\. Line 1: /)
    .waitFor();
  await page.fill("#rules", "keyword refund => group Billing\nkeyword order => group Nowhere\nrefund");
  await errorAt("rules").getByText("Line 3: write").waitFor();
  const error = (await errorAt("rules").textContent()) ?? "";
  expect(error).toMatch(/^Line 2: the account has no group "Nowhere"\. It has .*Billing.*\nLine 3: /);
  await page.fill("#rules", "");
});

test("settings of a feature are shown and required only while it is on", async () => {
  expect(await page.locator("#away_message").isVisible()).toBe(false);
  expect(await page.locator("#sync_url").isVisible()).toBe(false);
  await page.check("#after_hours");
  await page.check("#sync_out");
  await page.locator("#away_message").waitFor();
  await hintAt("away_message").getByText("Preview: We are closed at the moment, and back on Monday").waitFor();
  await page.fill("#hours", "Mon-Fry 09:00-17:00");
  await errorAt("hours").getByText("Line 1: ").waitFor();
  await page.fill("#sync_url", "https://localhost/hook");
  await errorAt("sync_url").getByText("The address must name a host").waitFor();
  await page.fill("#time_zone", "Berlin");
  await errorAt("time_zone").getByText("Is it Europe/Berlin?").waitFor();
  expect(await violations()).toEqual([]);
  await page.fill("#time_zone", "Europe/Berlin");
  await page.uncheck("#after_hours");
  await page.uncheck("#sync_out");
  await page.locator("#hours").waitFor({ state: "hidden" });
  await page.fill("#welcome", "Hello from {{bot.name}}!");
  await save();
  await page.getByText(STORED).waitFor();
});

test("the conversation of the report must exist in the account", async () => {
  await page.check("#digest");
  await save();
  await errorAt("digest_conversation").getByText("This field is required!").waitFor();
  await page.fill("#digest_conversation", "9b5b2c9e-6c1c-4c0f-8a53-3a3f6f0f9d11");
  await errorAt("digest_conversation").getByText("The account has no such conversation.").waitFor();
  // Not `check`, which fails if the refusal reverts the choice before Playwright verifies it.
  await page.getByRole("radio", { name: "The other system" }).click();
  await errorAt("digest_to").getByText('Turn on "Tell another system"').waitFor();
});

test("a cancelled change is not stored", async () => {
  expect(await errorOf("Iris")).toContain("Hello from Iris!");
});

test("the installation page sends no requests to other hosts", () => {
  const own = new URL(running.app).origin;
  expect(requests.filter((address) => /^https?:/.test(address) && new URL(address).origin !== own)).toEqual([]);
});
