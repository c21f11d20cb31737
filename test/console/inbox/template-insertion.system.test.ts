import type { NewReplyTemplate } from "@parley/contract";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** Reply templates in the composer: by a slash and by the picker, with the values of their placeholders. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  agent = await s.visit();
  ({ page } = agent);
});
afterAll(() => s.stop());

const create = (values: Omit<NewReplyTemplate, "is_shared">) =>
  agent.session.replyTemplates.createReplyTemplate({ body: { is_shared: false, ...values } });

/** Inserts a template by its shortcut into a reply to a new customer. -> the text of the reply */
const insertBySlash = async (customer: string, shortcut: string): Promise<string> => {
  const field = await openComposer(customer);
  await field.pressSequentially(`/${shortcut}`);
  await page.getByRole("option", { name: new RegExp(`/${shortcut}`) }).waitFor();
  await field.press("Enter");
  return field.inputValue();
};
const openComposer = async (customer: string): Promise<Locator> => {
  const { id } = await s.beginConversation(customer, "Hello");
  await agent.open(`/console/conversations/${id}`);
  const field = page.getByRole("textbox", { name: "Reply to the customer" });
  await field.waitFor();
  return field;
};

const ALL =
  "{{customer.first_name}}|{{customer.last_name}}|{{customer.email}}|{{agent.first_name}}|{{agent.last_name}}|{{topic}}";

test("all placeholders have values of the customer, the agent and the topic; an absent one is left out with its space", async () => {
  await create({ name: "All values", shortcut: "all-values", text: ALL });
  await create({ name: "Absent", shortcut: "absent", text: "Dear {{customer.last_name}}, hello" });
  expect(await insertBySlash("Vera", "all-values")).toBe("Vera||vera@customer.example|Olivia|Reyes|Inbox");
  expect(await insertBySlash("Vincent", "absent")).toBe("Dear, hello");
  await create({ name: "Unknown", shortcut: "unknown", text: "{{topic}}: {{customer.shoe_size}} and {{ x y }}" });
  expect(await insertBySlash("Una", "unknown")).toBe("Inbox: {{customer.shoe_size}} and {{ x y }}");
});

test("the picker shows texts, finds by name, shortcut and text, and inserts at the cursor", async () => {
  await create({ name: "Picked", shortcut: "picked", text: "the middle" });
  const field = await openComposer("Petra");
  await field.fill("Before  after");
  await field.evaluate((element) => (element as HTMLTextAreaElement).setSelectionRange(7, 7));
  await page.getByRole("button", { name: "Reply templates" }).click();
  const search = page.getByRole("searchbox", { name: "Find a template" });
  const option = page.getByRole("option", { name: /Picked/ });
  for (const words of ["picke", "/picked", "THE MIDDLE"]) {
    await search.fill(words);
    await option.getByText("the middle").waitFor();
    expect(await page.getByRole("option").count()).toBe(1);
  }
  await search.fill("nothing like it");
  await page.getByText("Nothing matches.").waitFor();
  await search.fill("picke");
  await option.click();
  expect(await field.inputValue()).toBe("Before the middle after");
  await eventually(async () =>
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true),
  );
  await page.keyboard.type("!");
  expect(await field.inputValue()).toBe("Before the middle! after");
});

test("suggestions for a slash appear at the beginning of a word only, and Escape keeps the typed text", async () => {
  await create({ name: "Slashed", shortcut: "slashed", text: "Inserted" });
  const field = await openComposer("Sasha");
  const option = page.getByRole("option", { name: /Slashed/ });
  await field.pressSequentially("https://slashed and/slashed");
  expect(await option.count()).toBe(0);
  await field.pressSequentially(" /slashe");
  await option.waitFor();
  await field.press("Escape");
  await option.waitFor({ state: "detached" });
  expect(await field.inputValue()).toBe("https://slashed and/slashed /slashe");
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
  await field.pressSequentially("d");
  await option.click();
  expect(await field.inputValue()).toBe("https://slashed and/slashed Inserted");
});

test("a template that a colleague shares is suggested in the composer that is already open", async () => {
  const field = await openComposer("Sheila Shared");
  await field.pressSequentially("/fresh");
  const noah = await s.visit("noah@acme.example");
  await noah.session.replyTemplates.createReplyTemplate({
    body: { name: "Fresh", shortcut: "fresh", text: "Dear {{customer.first_name}}", is_shared: true },
  });
  await noah.close();
  await page.getByRole("option", { name: /Fresh/ }).waitFor();
  await field.press("Tab");
  expect(await field.inputValue()).toBe("Dear Sheila Shared");
});
test("the browser reported no errors", () => {
  expect(agent.errors).toEqual([]);
});
