import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";
import { run } from "../../../support/parley-process.ts";

/** The page of API tokens: the generated tokens work in other programs. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const table = () => page.getByRole("table", { name: "API tokens" });
const row = (name: string) =>
  table()
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name, exact: true }) });
const openPage = async () => {
  await owner.open("/console/admin/tokens");
  await table().waitFor();
};
/** Fills and sends the form of a new token. -> the token, and the command that the page offers for trying it */
const generate = async (name: string, change: () => Promise<void> = async () => undefined) => {
  await page.getByRole("button", { name: "Generate token" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await change();
  await page.getByRole("dialog").getByRole("button", { name: "Generate token" }).click();
  await page.getByRole("heading", { name: "The token is generated" }).waitFor();
  const token = await page.getByRole("textbox", { name: "Token" }).inputValue();
  const command = await page.getByRole("textbox", { name: "Try it" }).inputValue();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  return { token, command };
};
/** Runs the command as a person pastes it into a terminal. -> status of the response */
const curl = async (command: string): Promise<string> => {
  const { stdout } = await run(["bash", "-c", command.replace("curl ", "curl -s -o /dev/null -w '%{http_code}' ")]);
  return stdout;
};

test("a generated token works in curl, its last use is listed, and it stops working when it is revoked", async () => {
  await openPage();
  const { token, command } = await generate("Nightly sync");
  expect(token).toMatch(/^parley_[\w-]{43}$/);
  await row("Nightly sync").getByText("Not yet").waitFor();
  await row("Nightly sync").getByText("All permissions").waitFor();
  expect(await curl(command)).toBe("200");
  await eventually(async () => {
    await page.reload();
    await table().waitFor();
    expect(await row("Nightly sync").getByText("Not yet").count()).toBe(0);
  });
  // Only the dialog contained it.
  expect(await page.content()).not.toContain(token);
  await row("Nightly sync").getByRole("button", { name: "Revoke Nightly sync" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Nightly sync is revoked.").waitFor();
  expect(await row("Nightly sync").count()).toBe(0);
  await eventually(async () => expect(await curl(command)).toBe("401"));
  await page.getByText("Show expired and revoked tokens").click();
  await row("Nightly sync").getByText("Revoked").waitFor();
});

test("a token has exactly the chosen permissions and the chosen lifetime", async () => {
  await openPage();
  const { token } = await generate("Reader", async () => {
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "None" }).click();
    await dialog.getByText("group:read", { exact: true }).click();
    await dialog.getByRole("button", { name: /Valid for/ }).click();
    await page.getByRole("option", { name: "30 days" }).click();
  });
  const status = async (path: string) =>
    (await fetch(`${s.origin}/v2${path}`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect([await status("/groups"), await status("/agents")]).toEqual([200, 403]);
  await row("Reader").getByText("group:read").waitFor();
  const { tokens } = await owner.administration.admin.listTokens({ params: { account: "acme" } });
  const { created_time = "", expires_time = "" } = tokens.find(({ name }) => name === "Reader") ?? {};
  expect(Date.parse(expires_time) - Date.parse(created_time)).toBe(30 * 86_400_000);
});

test("a form without a name or a permission says so at its place and generates nothing", async () => {
  await openPage();
  const before = await table().getByRole("row").count();
  await page.getByRole("button", { name: "Generate token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "None" }).click();
  await dialog.getByRole("button", { name: "Generate token" }).click();
  await dialog.getByText("Give the token a name.").waitFor();
  await dialog.getByText("Choose at least one permission.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await table().getByRole("row").count()).toBe(before);
});

test("an admin sees the tokens, and neither generates nor revokes any", async () => {
  const { email } = await consoleAccount(s).agent({ name: "Ada Admin", role: "ADMIN" });
  const admin = await s.visit(email);
  await admin.open("/console/admin/tokens");
  await admin.page.getByRole("table", { name: "API tokens" }).waitFor();
  await admin.page.getByText("Only an agent with the role Account admin").waitFor();
  expect(await admin.page.getByRole("button", { name: /Generate|Revoke/ }).count()).toBe(0);
  await admin.close();
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
