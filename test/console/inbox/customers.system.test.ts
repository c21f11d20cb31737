import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { CustomerOrder, NewUser, User } from "@parley/contract";
import type { Locator, Page } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** The directory of customers. */

let s: ConsoleHarness;
let olivia: AgentBrowser;
let page: Page;
/** Customers that the directory has to be scrolled for. */
const CROWD = 150;
const pad = (number: number) => String(number).padStart(3, "0");

beforeAll(async () => {
  s = await consoleHarness();
  // A name order that differs from the order of creation.
  const numbers = Array.from({ length: CROWD }, (_, index) => (index * 7) % CROWD);
  for (const number of numbers)
    await create({ first_name: "Casey", last_name: `Nr ${pad(number)}`, email: `c${pad(number)}@crowd.example` });
  olivia = await s.visit();
  ({ page } = olivia);
});
afterAll(() => s.stop());

const create = (body: NewUser): Promise<User> => s.client.users.createUser({ body });
const stored = (user_id: string): Promise<User> => s.client.users.getUser({ params: { user_id } });
const find = () => page.getByRole("searchbox", { name: "Find a customer" });
const rows = (): Locator => page.getByRole("list", { name: "Customers" }).getByRole("listitem");
const row = (text: string): Locator => rows().filter({ hasText: text });

/** All customers of a list, page by page. -> their ids */
const listed = async (query: { readonly order?: CustomerOrder; readonly text?: string } = {}) => {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const reply = await olivia.session.customers.listCustomers({ query: { ...query, ...(cursor && { cursor }) } });
    ids.push(...reply.customers.map(({ id }) => id));
    cursor = reply.next;
  } while (cursor !== undefined);
  return ids;
};

/** Ids of the rows that are drawn, by position. */
const drawn = async (): Promise<readonly (readonly [number, string])[]> =>
  rows().evaluateAll((items) =>
    items.map((item): [number, string] => [
      Number(item.getAttribute("aria-posinset")),
      item.querySelector("a")?.pathname.split("/").at(-1) ?? "",
    ]),
  );

describe("the directory", () => {
  test("shows all customers by name as they are scrolled to, with their number", async () => {
    await olivia.open("/console/customers?order=name");
    const ids = await listed({ order: "name" });
    await page.getByText(`${ids.length} customers`, { exact: true }).waitFor();
    const seen = new Map<number, string>();
    await rows().first().hover();
    await eventually(async () => {
      for (const [position, id] of await drawn()) seen.set(position, id);
      await page.mouse.wheel(0, 500);
      expect(seen.size).toBe(ids.length);
    });
    expect(ids.map((_, index) => seen.get(index + 1))).toEqual(ids);
    expect(olivia.requests.filter((request) => request.endsWith("/customers")).length).toBeGreaterThan(2);
  });

  test.each([
    ["Oldest first", "oldest"],
    ["Latest activity first", "newest_activity"],
    ["By name", "name"],
    ["Newest first", "newest"],
  ] as const)("is ordered as chosen, also after a reload: %s", async (label, order) => {
    await s.beginConversation(`Active ${order}`, "Hello");
    await olivia.open("/console/customers?order=name");
    await page.getByRole("button", { name: /Order/ }).click();
    await page.getByRole("option", { name: label }).click();
    await page.waitForURL(`**/customers?order=${order}`);
    const showsIt = async () =>
      expect((await drawn()).map(([, id]) => id).slice(0, 8)).toEqual((await listed({ order })).slice(0, 8));
    await eventually(showsIt);
    await page.reload();
    await eventually(showsIt);
  });

  test.each([
    ["the beginning of a name", "casey nr 01", 10],
    ["the beginning of a last name, without its accent", "zoe", 1],
    ["an e-mail address", "C149@crowd.example", 1],
    ["digits of a phone number", "49 30 98", 1],
  ])("finds customers by %s, and the address has the text", async (_kind, text, count) => {
    if ((await listed({ text: "Zoë" })).length === 0) await create({ last_name: "Zoë", phone: "+49 (30) 987-654" });
    await olivia.open("/console/customers");
    await find().fill(text);
    const ids = await listed({ text });
    expect(ids).toHaveLength(count);
    await eventually(async () => expect((await drawn()).map(([, id]) => id)).toEqual(ids));
    await page.getByText(count === 1 ? "1 customer" : `${count} customers`, { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get("q")).toBe(text);
  });

  test("ignores an order that does not exist", async () => {
    await olivia.open("/console/customers?order=nonsense");
    await rows().first().waitFor();
    await page.getByRole("button", { name: "Newest first Order" }).waitFor();
  });

  test("says that nobody matches, and shows all customers again", async () => {
    await olivia.open(`/console/customers?q=${"nobody".repeat(400)}`);
    await page.getByText("Nobody matches").waitFor();
    await page.getByRole("button", { name: "Show all customers" }).click();
    await rows().first().waitFor();
    expect(await find().inputValue()).toBe("");
    expect(new URL(page.url()).search).toBe("");
  });

  test("shows customers that integrations create, change and delete, without a reload", async () => {
    await olivia.open("/console/customers");
    await rows().first().waitFor();
    const before = (await listed()).length;
    const { id } = await create({ first_name: "Lena", email: "lena@live.example" });
    await row("lena@live.example").waitFor();
    await page.getByText(`${before + 1} customers`, { exact: true }).waitFor();
    await s.client.users.updateUser({ params: { user_id: id }, body: { last_name: "Later", phone: "+49 30 7" } });
    await row("Lena Later").filter({ hasText: "+49 30 7" }).waitFor();
    await s.client.users.deleteUser({ params: { user_id: id } });
    await row("Lena Later").waitFor({ state: "detached" });
    await page.getByText(`${before} customers`, { exact: true }).waitFor();
  });

  test("creates a customer from valid values only, and opens its page", async () => {
    await olivia.open("/console/customers");
    await page.getByRole("button", { name: "New customer" }).click();
    const before = await listed();
    const dialog = page.getByRole("dialog", { name: "New customer" });
    const field = (name: string): Locator => dialog.getByRole("textbox", { name });
    const submit = () => dialog.getByRole("button", { name: "Create" }).click();
    await submit();
    await dialog.getByText("Give at least one of these: name, e-mail address or phone number.").waitFor();
    await field("First name").fill("  Nadia ");
    await field("E-mail").fill("nadia@");
    await field("Phone").fill("call me");
    await submit();
    await dialog.getByText("Enter an e-mail address such as mia@example.com.").waitFor();
    await dialog.getByText("Enter digits, such as +49 30 123456.").waitFor();
    await field("Phone").fill("+49 30 5550100");
    // Only the service knows this limit.
    await field("E-mail").fill(`${"n".repeat(250)}@new.example`);
    await submit();
    await dialog
      .getByRole("alert")
      .getByText(/email must be an address .* of at most 254 characters/)
      .waitFor();
    expect(await listed()).toEqual(before);
    await field("E-mail").fill("nadia@new.example");
    await submit();
    await page.getByRole("heading", { level: 1, name: "Nadia", exact: true }).waitFor();
    const [id] = (await listed()).filter((each) => !before.includes(each));
    expect(new URL(page.url()).pathname).toBe(`/console/customers/${id}`);
    expect(await stored(id ?? "")).toMatchObject({
      first_name: "Nadia",
      email: "nadia@new.example",
      phone: "+49 30 5550100",
    });
    await page.getByRole("link", { name: "All customers" }).click();
    await row("nadia@new.example").waitFor();
  });
});

test("the browser reported no errors besides the value that the service refused", () => {
  expect(olivia.errors.filter((error) => !/status of 400 .*\/v2\/users$/.test(error))).toEqual([]);
});
