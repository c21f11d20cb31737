import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { InboxItem } from "@parley/contract";
import type { Locator } from "playwright-core";
import { consoleAccount } from "../support/account.ts";
import { eventually } from "../support/harness.ts";
import { consoleInbox, type ConsoleInbox } from "./inbox.ts";

/** What is done with several conversations at once, and undone. */

let inbox: ConsoleInbox;

beforeAll(async () => {
  inbox = await consoleInbox();
});
afterAll(() => inbox.s.stop());

const toolbar = (): Locator => inbox.page.getByRole("toolbar", { name: "Actions on the selected conversations" });
const notice = (text: string | RegExp): Locator =>
  inbox.page.getByRole("region", { name: "Notices" }).getByRole("listitem").filter({ hasText: text });
const undo = (text: string | RegExp) => notice(text).getByRole("button", { name: "Undo" }).click();
const select = async (...names: readonly string[]): Promise<void> => {
  for (const name of names)
    await inbox.grid.getByRole("checkbox", { name: `Select the conversation with ${name}` }).check({ force: true });
  await toolbar().getByText(`${names.length} selected`).waitFor();
};
const choose = async (menu: string, choice: string): Promise<void> => {
  await toolbar().getByRole("button", { name: menu }).click();
  await inbox.page.getByRole("menuitem", { name: choice, exact: true }).click();
};
const itemOf = (name: string): Promise<InboxItem> =>
  inbox.agent.session.inbox.getInboxItem({ params: { conversation_id: inbox.idOf(name) } });
/** Members of the conversations as the API has them. */
const has = (wanted: Readonly<Record<string, object>>) =>
  eventually(async () => {
    for (const [name, members] of Object.entries(wanted)) expect(await itemOf(name)).toMatchObject(members);
  });

test("several conversations are assigned to a colleague, and are as before after an undo", async () => {
  await inbox.agent.open("/console/inbox");
  await inbox.rowOf("Gil Seven").waitFor();
  const before = { "Ada One": await itemOf("Ada One"), "Gil Seven": await itemOf("Gil Seven") };
  await select("Ada One", "Gil Seven");
  await choose("Assign", "Noah Lindqvist");
  await notice("2 assigned to Noah Lindqvist").waitFor();
  const assigned = { status: "assigned", assigned_agent_id: inbox.colleague };
  await has({ "Ada One": assigned, "Gil Seven": assigned });
  await eventually(async () => expect(await inbox.viewLink("Noah Lindqvist").innerText()).toMatch(/\b3\b/));
  await toolbar().waitFor({ state: "detached" });

  await undo("2 assigned to Noah Lindqvist");
  await notice("2 as before").waitFor();
  await has({
    "Ada One": { status: "assigned", assigned_agent_id: inbox.own },
    "Gil Seven": { status: "new" },
  });
  expect((await itemOf("Gil Seven")).assigned_agent_id).toBe(before["Gil Seven"].assigned_agent_id);
  await inbox.showsList({});
});

test("they are resolved together, leave the list, and come back by an undo", async () => {
  await inbox.agent.open("/console/inbox");
  await inbox.rowOf("Dan Four").waitFor();
  await select("Dan Four", "Eva Five");
  await toolbar().getByRole("button", { name: "Resolve" }).click();
  await inbox.rowOf("Dan Four").waitFor({ state: "detached" });
  await has({ "Dan Four": { status: "resolved" }, "Eva Five": { status: "resolved" } });
  await inbox.showsList({});
  await undo("2 resolved");
  await inbox.rowOf("Dan Four").waitFor();
  await has({ "Dan Four": { status: "new" }, "Eva Five": { status: "new" } });
  await inbox.showsList({});
});

test("the priority of several is set, and a colleague who looks at one sees it", async () => {
  await inbox.agent.open("/console/inbox");
  await inbox.rowOf("Cem Three").waitFor();
  const other = await inbox.s.visit("noah@acme.example");
  await other.open(`/console/conversations/${inbox.idOf("Cem Three")}`);
  await other.page.getByRole("button", { name: /^Priority: / }).waitFor();
  await select("Cem Three", "Bea Two");
  await choose("More actions", "Urgent");
  await has({
    "Cem Three": { properties: { priority: "Urgent" } },
    "Bea Two": { properties: { priority: "Urgent" } },
  });
  await inbox.rowOf("Cem Three").getByText("Urgent").waitFor();
  await other.page.getByRole("button", { name: "Priority: Urgent" }).waitFor();
  await undo("2 with Priority Urgent");
  await eventually(async () => {
    expect((await itemOf("Bea Two")).properties["priority"]).toBe("High");
    expect((await itemOf("Cem Three")).properties["priority"]).toBe("Low");
  });
  await other.close();
});

test("they are marked as read and as unread", async () => {
  await inbox.agent.open("/console/inbox");
  await inbox.rowOf("Gil Seven").getByText("1 unread").waitFor();
  await select("Gil Seven", "Eva Five");
  await choose("More actions", "Mark as read");
  await has({ "Gil Seven": { unread: 0 }, "Eva Five": { unread: 0 } });
  await inbox.rowOf("Gil Seven").getByText("1 unread").waitFor({ state: "detached" });
  await undo("2 marked as read");
  await has({ "Gil Seven": { unread: 1 }, "Eva Five": { unread: 1 } });
  await inbox.rowOf("Gil Seven").getByText("1 unread").waitFor();
});

/** Keys of a conversation while two are selected: their change, or the reason why they change nothing. */
const KEYS: readonly {
  readonly key: string;
  readonly then?: () => Promise<unknown>;
  readonly says: string | RegExp;
  readonly changed?: () => object;
}[] = [
  { key: "m", says: "2 assigned to Olivia Reyes", changed: () => ({ assigned_agent_id: inbox.own }) },
  {
    key: "a",
    then: async () => {
      await inbox.page.getByRole("menu", { name: "Assign" }).waitFor();
      await inbox.page.keyboard.type("Noah");
      await inbox.page.keyboard.press("Enter");
    },
    says: "2 assigned to Noah Lindqvist",
    changed: () => ({ assigned_agent_id: inbox.colleague }),
  },
  {
    key: "p",
    then: () => inbox.page.getByRole("menuitem", { name: "Urgent", exact: true }).click(),
    says: "2 with Priority Urgent",
    changed: () => ({ properties: { priority: "Urgent" } }),
  },
  { key: "u", says: "2 marked as unread", changed: () => ({ unread: 1 }) },
  { key: "e", says: "2 resolved", changed: () => ({ status: "resolved" }) },
  { key: "r", says: "Open the conversation first." },
  { key: "n", says: "Open the conversation first." },
  { key: "d", says: "Open the conversation first." },
];

test.each(KEYS)(
  "$key with several selected rows acts on them or says why not: $says",
  async ({ key, then, says, changed }) => {
    const names = [`First ${key}`, `Second ${key}`];
    for (const name of names) {
      inbox.begun.set(name, await inbox.s.beginConversation(name, `Hello from ${name}`));
      await inbox.change(name, { properties: { priority: "Low" } });
      if (key === "u")
        await inbox.agent.session.inbox.markConversation({
          params: { conversation_id: inbox.idOf(name) },
          body: { is_read: true },
        });
    }
    await inbox.agent.open("/console/inbox");
    await inbox.rowOf(`First ${key}`).waitFor();
    await inbox.rowOf(`Second ${key}`).waitFor();
    await inbox.page.keyboard.press("j");
    await inbox.page.keyboard.press("x");
    await inbox.page.keyboard.press("j");
    await inbox.page.keyboard.press("x");
    await toolbar().getByText("2 selected").waitFor();
    await inbox.page.keyboard.press(key);
    await then?.();
    await notice(says).first().waitFor();
    const members = changed?.();
    if (members) await has(Object.fromEntries(names.map((name) => [name, members])));
    else await toolbar().getByText("2 selected").waitFor();
  },
);

test("E with an open conversation and a selection resolves the selected conversations only", async () => {
  for (const name of ["Open Otto", "Selected Sam"]) {
    inbox.begun.set(name, await inbox.s.beginConversation(name, `Hello from ${name}`));
    await inbox.change(name, { properties: { priority: "Low" } });
  }
  await inbox.agent.open(`/console/conversations/${inbox.idOf("Open Otto")}`);
  await inbox.page.getByRole("heading", { level: 1, name: "Open Otto" }).waitFor();
  await select("Selected Sam");
  await inbox.page.keyboard.press("e");
  await notice("1 resolved").waitFor();
  await has({ "Selected Sam": { status: "resolved" }, "Open Otto": { status: "new" } });
  // Without a selection the key is the open conversation's again.
  await toolbar().waitFor({ state: "detached" });
  await inbox.page.keyboard.press("e");
  await has({ "Open Otto": { status: "resolved" } });
});

test("a refused change is reported with its reason, and the others are made", async () => {
  const account = consoleAccount(inbox.s);
  await account.apply({
    fields: [{ name: "priority" }, { name: "cf_outcome", label: "Outcome", type: "TEXT", required: true }],
  });
  await inbox.change("Gil Seven", { properties: { cf_outcome: "Exchanged" } });
  await inbox.agent.open("/console/inbox");
  await inbox.rowOf("Gil Seven").waitFor();
  await select("Gil Seven", "Cem Three");
  await toolbar().getByRole("button", { name: "Resolve" }).click();
  await notice(/^1 resolved, 1 not: .*(?:Outcome|cf_outcome)/).waitFor();
  await has({ "Gil Seven": { status: "resolved" }, "Cem Three": { status: "assigned" } });
  // What was refused stays selected, so that it can be tried again.
  await toolbar().getByText("1 selected").waitFor();
  expect(inbox.agent.errors).toEqual([]);
});
