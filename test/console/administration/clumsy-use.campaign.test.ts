import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** Forms of the administration under double clicks, impatient keys, huge texts, and a service that does not answer. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const params = { account: "acme" };
const dialog = () => page.getByRole("dialog");
const tokens = async (name: string) =>
  (await owner.administration.admin.listTokens({ params, query: { items_per_page: 100 } })).tokens.filter(
    (token) => token.name === name,
  ).length;
const webhooks = async (url: string) =>
  (await owner.administration.admin.listWebhooks({ params })).webhooks.filter((webhook) => webhook.url === url).length;

const openToken = async (name: string): Promise<Locator> => {
  await owner.open("/console/admin/tokens");
  await page.getByRole("button", { name: "Generate token" }).click();
  await dialog().getByRole("textbox", { name: "Name" }).fill(name);
  return dialog().getByRole("button", { name: "Generate token" });
};
const openWebhook = async (url: string): Promise<Locator> => {
  await owner.open("/console/admin/webhooks");
  await page.getByRole("button", { name: "New webhook" }).click();
  await dialog().getByRole("textbox", { name: "Address" }).fill(url);
  return dialog().locator("button[type=submit]");
};

test.each(["a double click", "Enter twice", "two clicks before the page is rendered again"])(
  "%s on a button that creates an entry creates one entry",
  async (way) => {
    const kind = way.replaceAll(/\W+/g, "-");
    const press = async (button: Locator, input: Locator) => {
      if (way === "a double click") return button.dblclick();
      if (way === "Enter twice") {
        await input.focus();
        return input.evaluate((field: HTMLInputElement) => {
          field.form?.requestSubmit();
          field.form?.requestSubmit();
        });
      }
      return button.evaluate((element: HTMLButtonElement) => {
        element.click();
        element.click();
      });
    };
    await press(await openToken(kind), dialog().getByRole("textbox", { name: "Name" }));
    await page.getByRole("heading", { name: "The token is generated" }).waitFor();
    const url = `http://127.0.0.1:9/${kind}`;
    await press(await openWebhook(url), dialog().getByRole("textbox", { name: "Address" }));
    await page.getByRole("heading", { name: "The webhook is created" }).waitFor();
    expect([await tokens(kind), await webhooks(url)]).toEqual([1, 1]);
  },
);

test("a service that does not answer leaves the dialog open with the typed text, and says what to do", async () => {
  const button = await openToken("Kept while the service is away");
  await page.route("**/admin/accounts/acme/tokens", (route) =>
    route.request().method() === "POST" ? route.abort("connectionrefused") : route.continue(),
  );
  await button.click();
  await dialog().getByText("The service did not answer. Check the connection, and try again.").waitFor();
  expect(await dialog().getByRole("textbox", { name: "Name" }).inputValue()).toBe("Kept while the service is away");
  expect(await button.isEnabled()).toBe(true);
  await page.unroute("**/admin/accounts/acme/tokens");
  await button.click();
  await page.getByRole("heading", { name: "The token is generated" }).waitFor();
  expect(await tokens("Kept while the service is away")).toBe(1);
});

test("a huge text and the name of another entry are refused at the field, and change nothing", async () => {
  await owner.open("/console/admin/groups");
  await page.getByRole("button", { name: "New group" }).click();
  const name = dialog().getByRole("textbox", { name: "Name" });
  await name.fill("x".repeat(100_000));
  await dialog().getByRole("button", { name: "Save" }).click();
  await eventually(async () => expect(await name.getAttribute("aria-invalid")).toBe("true"));
  const { groups } = await s.client.groups.listGroups({ query: { items_per_page: 100 } });
  expect(groups.filter((group) => group.name.startsWith("xxx"))).toEqual([]);
  await name.fill(groups[0]?.name ?? "");
  await eventually(async () => expect(await name.getAttribute("aria-invalid")).toBe("true"));
});
