import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { NewUser, User } from "@parley/contract";
import type { Locator, Page } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** What agents do with one customer: on its page, and beside a conversation. */

let s: ConsoleHarness;
let olivia: AgentBrowser;
let noah: AgentBrowser;
let page: Page;
/** A window in which the details have a place beside the conversation. */
const WIDE = { viewport: { width: 1_720, height: 900 } };

beforeAll(async () => {
  s = await consoleHarness();
  [olivia, noah] = [await s.visit(undefined, WIDE), await s.visit("noah@acme.example", WIDE)];
  ({ page } = olivia);
});
afterAll(() => s.stop());

const create = (body: NewUser): Promise<User> => s.client.users.createUser({ body });
const stored = (user_id: string): Promise<User> => s.client.users.getUser({ params: { user_id } });
const region = (name: string, of: Page = page): Locator => of.getByRole("region", { name, exact: true });
const title = (name: string, of: Page = page): Locator => of.getByRole("heading", { level: 1, name, exact: true });
const notice = (text: string): Locator =>
  page.getByRole("region", { name: "Notices" }).getByRole("listitem").filter({ hasText: text });

/** Opens the editor of a field, types and saves. */
const edit = async (area: Locator, field: string, value: string): Promise<void> => {
  await area.getByRole("button", { name: new RegExp(`^(Change|Add): ${field}$`) }).click();
  await area.getByRole("textbox", { name: field }).fill(value);
  await area.getByRole("button", { name: "Save" }).click();
};

describe("the page of a customer", () => {
  test("changes name and contact in place, and takes a change back", async () => {
    const { id } = await create({ first_name: "Edda", email: "edda@old.example" });
    await olivia.open(`/console/customers/${id}`);
    const profile = region("Profile");
    await edit(profile, "Last name", "Editor");
    await title("Edda Editor").waitFor();
    await edit(profile, "Phone", "+49 30 4711");
    await edit(profile, "E-mail", "edda@new.example");
    await profile.getByRole("link", { name: "edda@new.example" }).waitFor();
    await eventually(async () =>
      expect(await stored(id)).toMatchObject({
        last_name: "Editor",
        phone: "+49 30 4711",
        email: "edda@new.example",
      }),
    );
    await notice("E-mail was changed.").getByRole("button", { name: "Undo" }).click();
    await profile.getByRole("link", { name: "edda@old.example" }).waitFor();
    await eventually(async () => expect((await stored(id)).email).toBe("edda@old.example"));
    await edit(profile, "Phone", "");
    await eventually(async () => expect((await stored(id)).phone ?? "").toBe(""));
    await profile.getByRole("button", { name: "Add: Phone" }).waitFor();
  });

  test("refuses an invalid value with a message, also the service's, and keeps the former value", async () => {
    const { id } = await create({ email: "kept@value.example" });
    await olivia.open(`/console/customers/${id}`);
    const profile = region("Profile");
    await edit(profile, "E-mail", "kept@");
    await profile.getByText("Enter an e-mail address such as mia@example.com.").waitFor();
    await profile.getByRole("textbox", { name: "E-mail" }).fill(`${"k".repeat(250)}@value.example`);
    await profile.getByRole("textbox", { name: "E-mail" }).press("Enter");
    await profile.getByText(/email must be an address .* of at most 254 characters/).waitFor();
    // The address is also the title, as there is no name.
    await title("kept@value.example").waitFor();
    await profile.getByRole("textbox", { name: "E-mail" }).press("Escape");
    await profile.getByRole("link", { name: "kept@value.example" }).waitFor();
    expect((await stored(id)).email).toBe("kept@value.example");
  });

  test("has the properties, and links to the conversations and the rated conversations", async () => {
    const { id, userId } = await s.beginConversation("Rita Rated", "Is it in stock?");
    const properties = [{ name: "Plan", value: "Gold" }];
    const other = await create({ first_name: "Paul", properties });
    const params = { conversation_id: id };
    await s.client.conversations.updateConversation({ params, body: { status: "resolved" } });
    const body = { issue_resolved: true, rating: 4, additional_feedback: "Quick & kind" };
    await s.client.csat.createCsat({ params, body });
    await olivia.open(`/console/customers/${userId}`);
    const rating = region("Ratings").getByRole("listitem");
    await rating.getByRole("img", { name: "4 of 5" }).waitFor();
    expect(await rating.innerText()).toMatch(/Quick & kind\s+Issue resolved/);
    for (const area of ["Ratings", "Conversations"]) {
      await region(area).getByRole("link").click();
      await page.waitForURL(`**/conversations/${id}`);
      await page.goBack();
    }
    await region("Conversations").getByText("Resolved").waitFor();
    await olivia.open(`/console/customers/${other.id}`);
    await region("Properties").getByText("Gold").waitFor();
    await region("Conversations").getByText("No conversations within your scope.").waitFor();
    await region("Ratings").getByText("No ratings yet.").waitFor();
  });

  test("exports what the API exports, as a file", async () => {
    const conversation = await s.beginConversation("Xenia Export", "Please send me what you know");
    const { userId } = conversation;
    await conversation.write("All of it: äöü 🌷");
    await olivia.open(`/console/customers/${userId}`);
    const started = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const download = await started;
    expect(download.suggestedFilename()).toBe(`customer-${userId}.ndjson`);
    const content = await readFile(await download.path(), "utf8");
    const expected = await olivia.session.customers.exportCustomer({ params: { user_id: userId } });
    expect(content).toBe(await expected.text());
    const kinds = content
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [(JSON.parse(line) as { kind: string }).kind]));
    expect(kinds).toEqual(["user", "conversation", "message", "message"]);
  });
});

test("a customer is deleted once the name was typed, and is gone in the API and on the pages of other agents", async () => {
  await create({ first_name: "Uma Untouched" });
  const { id, userId } = await s.beginConversation("Dora Deleted", "My secret is 4711");
  await olivia.open(`/console/customers/${userId}`);
  await noah.open(`/console/customers/${userId}`);
  await title("Dora Deleted", noah.page).waitFor();
  const thread = await noah.tab(`/console/conversations/${id}`);
  const messages = thread.getByRole("region", { name: "Messages of the conversation" });
  await messages.getByText("My secret is 4711").waitFor();
  const details = thread.getByRole("complementary", { name: "Details" });
  await details.getByText("dora.deleted@customer.example").waitFor();

  const dialog = page.getByRole("alertdialog", { name: "Delete Dora Deleted?" });
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await stored(userId)).first_name).toBe("Dora Deleted");
  await page.getByRole("button", { name: "Delete" }).click();
  const confirm = dialog.getByRole("button", { name: "Delete for good" });
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole("textbox").fill("dora deleted");
  await confirm.click();

  await page.waitForURL("**/console/customers");
  await notice("Dora Deleted was deleted.").waitFor();
  const directory = page.getByRole("list", { name: "Customers" });
  await directory.getByText("Uma Untouched").waitFor();
  expect(await directory.getByText("Dora Deleted").count()).toBe(0);
  await expect(stored(userId)).rejects.toMatchObject({ problem: { status: "USER_NOT_FOUND" } });
  await noah.page.getByText("This customer doesn’t exist").waitFor();
  await details.getByText("The customer was deleted.").waitFor();
  await messages.getByText("My secret is 4711").waitFor({ state: "detached" });
  await eventually(async () => expect(await thread.getByText("Dora Deleted").count()).toBe(0));
});

test("details beside a conversation change the same customer, and other agents see it without a reload", async () => {
  const { id, userId } = await s.beginConversation("Bea Beside", "Hello");
  await olivia.open(`/console/conversations/${id}`);
  await noah.open(`/console/customers/${userId}`);
  const details = page.getByRole("complementary", { name: "Details" });
  await details.getByText("bea.beside@customer.example").waitFor();
  await edit(details, "Phone", "+49 30 1234");
  await region("Profile", noah.page).getByRole("link", { name: "+49 30 1234" }).waitFor();
  await eventually(async () => expect((await stored(userId)).phone).toBe("+49 30 1234"));
  await edit(region("Profile", noah.page), "First name", "Beatrix");
  await details.getByRole("link", { name: "Beatrix", exact: true }).waitFor();
  await page.getByRole("grid").getByRole("row").filter({ hasText: "Beatrix" }).waitFor();
});

test("the browsers reported no errors besides the value that the service refused", () => {
  const errors = [...olivia.errors, ...noah.errors];
  expect(errors.filter((error) => !/status of 400 .*\/v2\/users\/[0-9a-f-]+$/.test(error))).toEqual([]);
});
