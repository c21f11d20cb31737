import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { VisitorSession } from "@parley/contract";
import type { Page } from "playwright-core";
import { consoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";
import { ENTERED } from "./account-pages.ts";

/** The page of the web messenger: what a site contains, and the lists of sites and of aliases. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
  await owner.context.grantPermissions(["clipboard-read", "clipboard-write"]);
});
afterAll(() => s.stop());

const ORIGINS = "Sites that can show the messenger";
const ALIASES = "Tokens, site ids and numbers";
const openPage = async () => {
  await owner.open("/console/admin/messenger");
  await page.getByRole("heading", { name: "Web messenger", level: 1 }).waitFor();
};
const list = (label: string) => page.getByRole("textbox", { name: label, exact: true });
const form = (label: string) => page.locator("form").filter({ has: list(label) });
const save = (label: string) => form(label).getByRole("button", { name: "Save" }).click();
const stored = async () => (await consoleAccount(s).document()).messenger;

/** Begins a session as the person of a token that is signed as the guide describes it. */
const signVisitor = async (origin: string, secret: string, claims: object) => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const iat = Math.floor(Date.now() / 1_000);
  const signed = `${part({ alg: "HS256" })}.${part({ ...claims, iat, exp: iat + 60 })}`;
  const signed_token = `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
  const response = await fetch(`${origin}/messenger/api/sessions/signed`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ account: "acme", signed_token, browser_key: "k".repeat(43) }),
  });
  return { code: response.status, body: (await response.json()) as Partial<VisitorSession> };
};

test("the code for pages names this service and the account, and is copied", async () => {
  await openPage();
  await page.getByRole("button", { name: "Copy Code for your pages" }).click();
  await page.getByText("Code for your pages copied.").waitFor();
  const code = await page.evaluate(() => navigator.clipboard.readText());
  expect(code).toContain(`src="${s.origin}/js/widget.js?account=acme"`);
});

describe("the list of sites", () => {
  test.each([
    ["shop.example", "“shop.example” is not the address of a site."],
    ["https://shop.example/cart", "Enter https://shop.example instead."],
    ["https://Shop.Example", "Enter https://shop.example instead."],
    ["ftp://shop.example", "“ftp://shop.example” is not the address of a site."],
    ["https://*", "“https://*” is not the address of a site."],
  ])("%s is refused at the field, and nothing is saved", async (entry, reason) => {
    const before = await stored();
    await openPage();
    await list(ORIGINS).fill(`https://first.example\n${entry}`);
    await save(ORIGINS);
    await form(ORIGINS).getByText(reason).waitFor();
    expect(await list(ORIGINS).getAttribute("aria-invalid")).toBe("true");
    expect(await stored()).toEqual(before);
    await list(ORIGINS).fill("");
  });

  test("is saved without empty and repeated lines, and an empty list opens the messenger to every site again", async () => {
    await openPage();
    await list(ORIGINS).fill("https://shop.example\n\n  https://*.shop.example:8443 \nhttps://shop.example\n");
    await save(ORIGINS);
    await page.getByText("The sites were saved.").waitFor();
    expect((await stored())?.origins?.toSorted()).toEqual(["https://*.shop.example:8443", "https://shop.example"]);
    await openPage();
    await list(ORIGINS).fill("");
    await save(ORIGINS);
    await page.getByText("Any site can show the messenger now.").waitFor();
    expect((await stored())?.origins ?? []).toEqual([]);
  });

  test("an entered text that was not saved is there again when the page was left", async () => {
    await openPage();
    await list(ORIGINS).fill("https://later.example");
    await page.getByRole("link", { name: "Topics", exact: true }).click();
    await page.getByRole("heading", { name: "Topics", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Web messenger" }).click();
    await eventually(async () => expect(await list(ORIGINS).inputValue()).toBe("https://later.example"));
    await form(ORIGINS).getByRole("button", { name: "Discard" }).click();
    expect(await list(ORIGINS).inputValue()).toBe("");
  });
});

describe("the list of aliases", () => {
  test("a saved alias of numbers shows its script, a token the host", async () => {
    await openPage();
    const { aliases } = ENTERED.messenger;
    await list(ALIASES).fill(aliases.join("\n"));
    await save(ALIASES);
    await page.getByText("The tokens and ids were saved.").waitFor();
    const script = page.getByRole("textbox", { name: "Script with the numbers 4711/42" });
    expect(await script.inputValue()).toContain(`src="${s.origin}/4711/42.js"`);
    const host = page.getByRole("textbox", { name: "Host for pages with a token or a site id" });
    expect(await host.inputValue()).toBe(s.origin);
    expect((await stored())?.aliases).toEqual(aliases.toSorted());
  });

  test("an alias of another account is refused by the service, which the field says", async () => {
    await s.administer("PUT", "/admin/accounts/lamps", { name: "lamps", messenger: { aliases: ["taken-token"] } });
    await openPage();
    await list(ALIASES).fill("taken-token");
    await save(ALIASES);
    await form(ALIASES).getByText("has taken-token, which is an alias of another account").waitFor();
    expect(await list(ALIASES).getAttribute("aria-invalid")).toBe("true");
    expect((await stored())?.aliases).not.toContain("taken-token");
    owner.errors.splice(0);
  });
});

test("sites of all forms are exported as they were entered", async () => {
  const { origins } = ENTERED.messenger;
  await openPage();
  await list(ORIGINS).fill(origins.join("\n"));
  await save(ORIGINS);
  await page.getByText("The sites were saved.").last().waitFor();
  expect((await stored())?.origins).toEqual(origins.toSorted());
});

test("the switches of privacy take effect at once, each without the other", async () => {
  await openPage();
  const section = page.getByRole("region", { name: "Privacy" });
  const press = (name: string) => section.getByText(name).click();
  const shows = "Agents see the page and the language of the customer";
  const asks = "Ask for consent before anything is stored";
  await press(shows);
  await eventually(async () => expect((await stored())?.privacy).toEqual({ is_page_shown: true }));
  await press(asks);
  await eventually(async () => expect((await stored())?.privacy).toEqual(ENTERED.messenger.privacy));
  await openPage();
  expect(await section.getByRole("switch", { name: shows }).isChecked()).toBe(true);
  await press(shows);
  await eventually(async () =>
    expect((await stored())?.privacy).toEqual({ is_page_shown: false, is_consent_required: true }),
  );
  await press(asks);
  await eventually(async () => expect((await stored())?.privacy?.is_consent_required).toBe(false));
});

describe("signed identities", () => {
  const section = () => page.getByRole("region", { name: "Signed identities" });
  const dialog = () => page.getByRole("dialog");
  const alert = () => page.getByRole("alertdialog");
  const add = async (name: string) => {
    await section().getByRole("button", { name: "Add a key" }).click();
    await dialog().getByRole("textbox", { name: "Name" }).fill(name);
  };
  const submit = () => dialog().getByRole("button", { name: "Add a key" }).click();

  test("a secret is shown once, signs a visitor whom agents see as verified, and its key is required and removed", async () => {
    await s.administer("PUT", "/admin/accounts/acme", { name: "acme", messenger: { origins: [] } });
    await openPage();
    expect(await section().getByRole("switch", { name: "Require a signature" }).isDisabled()).toBe(true);
    await add("Shop");
    await submit();
    const secret = await dialog().getByRole("textbox", { name: "Secret" }).inputValue();
    await dialog().getByRole("button", { name: "Close" }).last().click();
    await section().getByText("Not yet").waitFor();
    expect(await page.content()).not.toContain(secret);

    const { code, body } = await signVisitor(s.origin, secret, { reference_id: "customer-1", first_name: "Ada" });
    expect(code).toBe(201);
    const customer = await s.visit();
    await customer.open(`/console/customers/${body.visitor?.user_id}`);
    await customer.page.getByText("Verified by your site").waitFor();
    await customer.close();

    await openPage();
    await section().getByText("Require a signature").first().click();
    await alert().getByRole("button", { name: "Require" }).click();
    await page.getByText("Visitors need a signature now.").waitFor();
    await section().getByText("Hide the messenger until it has a signature").click();
    await eventually(async () =>
      expect(await section().getByRole("switch", { name: "Hide the messenger" }).isChecked()).toBe(true),
    );
    await section().getByRole("button", { name: "Remove Shop" }).click();
    await alert().getByRole("button", { name: "Remove Shop" }).click();
    await alert().getByText("can't be required without a key").waitFor();
    await alert().getByRole("button", { name: "Cancel" }).click();
    await section().getByText("Require a signature").first().click();
    await page.getByText("Visitors need no signature.").waitFor();
    await section().getByRole("button", { name: "Remove Shop" }).click();
    await alert().getByRole("button", { name: "Remove Shop" }).click();
    await section().getByText("No key was added yet.").waitFor();
    // The refusal of the service.
    owner.errors.splice(0);
  });

  test("a private key is refused at the field, and not sent", async () => {
    await openPage();
    await add("Portal");
    await dialog().getByRole("button", { name: "A new secret that both sides share" }).click();
    await page.getByRole("option", { name: "The public key of your server" }).click();
    await dialog().getByRole("textbox", { name: "Public key" }).fill("-----BEGIN PRIVATE KEY-----");
    await submit();
    await dialog().getByText("This is a private key, which only your server may have.").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await section().getByText("No key was added yet.").waitFor();
  });
});

test("agents without the role of an admin don't see the page", async () => {
  const { email } = await consoleAccount(s).agent({ name: "Sue Super", role: "SUPER_USER" });
  const agent = await s.visit(email);
  await agent.open("/console/admin/messenger");
  await agent.page.getByText("Your role may not see this page").waitFor();
  await agent.close();
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
