import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleAccount } from "../../support/account.ts";
import { adminPageFaults } from "../../support/admin-faults.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The page of identity providers: the sign-in page offers the saved providers. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const openPage = async () => {
  await owner.open("/console/admin/identity-providers");
  await page.getByRole("button", { name: "Add a provider" }).waitFor();
};
const dialog = () => page.getByRole("dialog");
const fill = async (fields: Readonly<Record<string, string>>) => {
  for (const [name, text] of Object.entries(fields)) await dialog().getByLabel(name, { exact: true }).fill(text);
};
const save = () => dialog().getByRole("button", { name: "Save" }).click();
const listed = async () =>
  (await owner.administration.admin.listIdentityProviders({ params: { account: "acme" } })).identity_providers;
/** Labels of the buttons of the sign-in page. */
const offered = async (): Promise<string[]> => {
  const reply = await fetch(`${s.origin}/identity/sign-in-methods?account=acme`);
  const { identity_providers } = (await reply.json()) as { readonly identity_providers: readonly { label: string }[] };
  return identity_providers.map(({ label }) => label);
};

test("a provider is added with the callback address that the form shows first, and the sign-in page offers it", async () => {
  await openPage();
  await page.getByText("There is no identity provider").waitFor();
  await page.getByRole("button", { name: "Add a provider" }).click();
  await fill({ Name: "company" });
  const callback = await dialog().getByRole("textbox", { name: "Callback address" }).inputValue();
  await fill({
    "Text of the button": "Sign in with Company",
    Issuer: "https://login.example.com",
    "Client ID": "parley",
    "Client secret": "hush-hush-secret",
  });
  await save();
  await page.getByText("Sign in with Company saved.").waitFor();
  const [provider] = await listed();
  expect(provider).toMatchObject({ name: "company", callback_url: callback, client_id: "parley" });
  expect(callback).toMatch(/^https?:.*\/sign-in\/oidc\/company\/callback/);
  expect(await offered()).toEqual(["Sign in with Company"]);
  expect(await page.content()).not.toContain("hush-hush-secret");
});

test("a provider is changed; another client needs the secret again, which the form says", async () => {
  await openPage();
  await page.getByRole("button", { name: "Change Sign in with Company" }).click();
  await fill({ "Text of the button": "Company account" });
  await save();
  await page.getByText("Company account saved.").waitFor();
  expect(await offered()).toEqual(["Company account"]);
  await page.getByRole("button", { name: "Change Company account" }).click();
  await fill({ "Client ID": "another" });
  await save();
  await dialog()
    .getByText(/client_secret: give it again/)
    .waitFor();
  expect((await listed())[0]?.client_id).toBe("parley");
  await fill({ "Client secret": "new-secret" });
  await save();
  await dialog().waitFor({ state: "detached" });
  expect((await listed())[0]?.client_id).toBe("another");
});

test("values that can't be right are refused at their fields, and nothing is saved", async () => {
  const before = await listed();
  await openPage();
  await page.getByRole("button", { name: "Add a provider" }).click();
  await save();
  for (const text of [
    "Use lower-case letters, digits and hyphens",
    "Enter a text for the button.",
    "Enter the address of the provider.",
    "Enter the client ID that the provider gave you.",
  ])
    await dialog().getByText(text).waitFor();
  await fill({ Name: "company", Issuer: "https://login.example.com/.well-known/openid-configuration" });
  await dialog().getByText("Another provider has this name.").waitFor();
  await dialog().getByText("Leave /.well-known/openid-configuration out").waitFor();
  // A rule that only the service has.
  await fill({ Name: "inside", "Text of the button": "Inside", Issuer: "https://10.0.0.1", "Client ID": "x" });
  await save();
  await dialog()
    .getByText(/^issuer:/)
    .waitFor();
  await dialog().getByRole("button", { name: "Cancel" }).click();
  expect(await listed()).toEqual(before);
});

test("a removed provider is offered no longer", async () => {
  await openPage();
  await page.getByRole("button", { name: "Remove Company account" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove Company account" }).click();
  await page.getByText("Company account removed.").waitFor();
  await eventually(async () => expect(await offered()).toEqual([]));
});

test("an admin sees the providers and changes none; the page has no accessibility violation, and does not scroll sideways", async () => {
  const issuer = "https://login.example.com/realms/a-company-with-a-long-name";
  const settings = { label: "Company", issuer, client_id: "parley" };
  const params = { account: "acme", provider: "seen" };
  await owner.administration.admin.putIdentityProvider({ params, body: settings });
  const account = consoleAccount(s);
  const { email } = await account.agent({ name: "Ada Admin", role: "ADMIN" });
  const admin = await s.visit(email, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
  await admin.open("/console/admin/identity-providers");
  await admin.page.getByText("Only an agent with the role Account admin").waitFor();
  await admin.page.getByRole("table", { name: "Single sign-on" }).getByText(issuer).waitFor();
  expect(await admin.page.getByRole("button", { name: /Add|Change|Remove/ }).count()).toBe(0);
  await expect(admin.administration.admin.deleteIdentityProvider({ params })).rejects.toMatchObject({
    problem: { code: 403 },
  });
  expect(await adminPageFaults(admin.page)).toEqual([]);
  await admin.close();
});
