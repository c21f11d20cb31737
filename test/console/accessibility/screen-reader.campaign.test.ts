import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { CDPSession, Page } from "playwright-core";
import { fillAccount, type ConsoleContent } from "../support/content.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";

/** The core of an agent's work by the accessibility tree alone: a screen reader cannot say a text that is not in the tree. */

let s: ConsoleHarness;
let content: ConsoleContent;
let agent: AgentBrowser;
let page: Page;
let cdp: CDPSession;

beforeAll(async () => {
  s = await consoleHarness();
  content = await fillAccount(s);
  agent = await s.visit();
  ({ page } = agent);
  cdp = await agent.context.newCDPSession(page);
  await cdp.send("Accessibility.enable");
});
afterAll(() => s.stop());

interface TreeNode {
  readonly role: string;
  readonly name: string;
  readonly element: number | undefined;
  readonly properties: Readonly<Record<string, unknown>>;
  /** All texts below it, in order. */
  readonly text: string;
}

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** The nodes of the tree that are not ignored, in the order in which they are read. */
const readTree = async (): Promise<readonly TreeNode[]> => {
  const { nodes } = await cdp.send("Accessibility.getFullAXTree");
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const found: TreeNode[] = [];
  const visit = (id: string): string => {
    const node = byId.get(id);
    if (!node) return "";
    const role = stringOf(node.role?.value);
    const name = stringOf(node.name?.value);
    if (!node.ignored && role === "StaticText") return name;
    const index = found.length;
    const properties = Object.fromEntries((node.properties ?? []).map((each) => [each.name, each.value.value]));
    if (!node.ignored) found.push({ role, name, element: node.backendDOMNodeId, properties, text: "" });
    const text = (node.childIds ?? []).map(visit).filter(Boolean).join(" ");
    const entry = node.ignored ? undefined : found[index];
    if (entry) found[index] = { ...entry, text };
    return text === "" && !node.ignored ? name : text;
  };
  const [root] = nodes;
  if (root) visit(root.nodeId);
  return found;
};

const isNamed = (name: string | RegExp, text: string): boolean =>
  typeof name === "string" ? text === name : name.test(text);

/** Waits for a node, as somebody who goes through the page does. */
const node = async (role: string, name: string | RegExp): Promise<TreeNode> => {
  let found: TreeNode | undefined;
  await eventually(async () => {
    const tree = await readTree();
    found = tree.find((each) => each.role === role && isNamed(name, each.name));
    if (found) return;
    const others = tree.filter((each) => each.role === role).map((each) => each.name);
    throw new Error(`There is no ${role} ${name}, but: ${others.join(", ")}`);
  });
  return found!;
};
/** Sets the focus to a node, and presses keys or enters a text. */
const use = async (role: string, name: string | RegExp, ...keys: readonly string[]) => {
  const { element } = await node(role, name);
  await cdp.send("DOM.focus", { ...(element !== undefined && { backendNodeId: element }) });
  for (const key of keys) await page.keyboard.press(key);
};
const conversationOf = (id: string) => s.client.conversations.getConversation({ params: { conversation_id: id } });

test("an unanswered conversation is found, read, answered and resolved", async () => {
  const begun = await s.beginConversation("Sana Reader", "My order 4711 has not arrived.");
  await begun.write("Can you help me?");
  await agent.open("/console/inbox");
  // State in the row: customer, text, unread messages, waiting, assignment.
  const row = await node("row", /Sana Reader/);
  expect(row.name).toMatch(/Can you help me\?.*2 unread.*Waiting: .*Inbox.*Assigned to: Unassigned/);
  expect((await node("grid", "Conversations")).properties).toMatchObject({ multiselectable: true });
  await use("row", /Sana Reader/, "Enter");

  await node("heading", "Sana Reader");
  const thread = await node("region", "Messages of the conversation");
  expect(thread.text).toMatch(/Sana Reader .*My order 4711 has not arrived\. .*Can you help me\?/);
  const tree = await readTree();
  expect(tree.filter(({ role }) => role === "article")).toHaveLength(2);
  for (const name of ["Agent: Nobody", "Group: No group", /^Priority: /, "Resolve"]) await node("button", name);
  await node("row", /Sana Reader(?!.*unread)/);

  await use("textbox", "Reply to the customer");
  await page.keyboard.type("It arrives tomorrow.");
  await use("button", "Send", "Enter");
  await eventually(async () =>
    expect((await node("region", "Messages of the conversation")).text).toMatch(/Olivia Reyes .*It arrives tomorrow\./),
  );
  await use("button", "Resolve", "Enter");
  await node("dialog", "Complete the conversation");
  await use("button", /Reason/, "Enter");
  await use("option", "Delay", "Enter");
  await use("button", "Resolve", "Enter");
  await eventually(async () =>
    expect(await conversationOf(begun.id)).toMatchObject({ status: "resolved", properties: { cf_reason: "Delay" } }),
  );
  await node("button", "Reopen");
  const { messages } = await s.client.messages.listMessages({ params: { conversation_id: begun.id } });
  expect(messages.map(({ message_parts }) => message_parts[0]?.text?.content)).toContain("It arrives tomorrow.");
});

test("every text of a conversation is in the tree, and a private note is read as a private note", async () => {
  await agent.open(`/console/conversations/${content.full.id}`);
  await eventually(async () =>
    expect((await node("region", "Messages of the conversation")).text).toContain("54, please."),
  );
  const thread = await node("region", "Messages of the conversation");
  const { messages } = await s.client.messages.listMessages({ params: { conversation_id: content.full.id } });
  const texts = messages.flatMap(({ message_parts }) =>
    message_parts.flatMap(({ text }) => (text?.content ?? "").split("\n").filter(Boolean)),
  );
  const read = thread.text.replaceAll(/\s+/g, " ");
  // The virtual list keeps the newest messages in the document.
  const missing = texts.filter((text) => !read.includes(text.replace(/https:\S+/, "").trim()));
  expect(missing).toEqual([]);
  expect(read).toMatch(/Private note\s*\. Only your team sees it\. She bought three of them/);
  for (const label of ["Exchange it", "Refund", "Blue frame", "54 cm", "This one", "invoice.pdf", "Returns", "Help"])
    expect(read).toContain(label);
  expect((await readTree()).filter(({ role, name }) => role === "image" && name === "")).toEqual([]);
});

test("state is in the tree: status, assignment, priority and selection", async () => {
  await content.account.change(content.short.id, {
    status: "assigned",
    assigned_agent_id: (await agent.session.workspace.getWorkspace()).agent.agent_id,
    properties: { priority: "Urgent" },
  });
  await agent.open(`/console/conversations/${content.short.id}`);
  await node("row", /Noor Haddad.*Priority: Urgent.*Assigned to: Olivia Reyes/);
  await node("button", "Agent: Olivia Reyes");
  await node("button", "Priority: Urgent");
  const header = (await readTree()).filter(({ role }) => role === "paragraph" || role === "generic");
  expect(header.map(({ text }) => text).join(" ")).toContain("Assigned");
  await use("row", /Noor Haddad/, "x");
  await eventually(async () => expect((await node("row", /Noor Haddad/)).properties["selected"]).toBe(true));
  await eventually(async () =>
    expect((await readTree()).some(({ role, text }) => role === "status" && text === "1 selected")).toBe(true),
  );
});

test("a message that arrives is announced in a live region with its author", async () => {
  const begun = await s.beginConversation("Nia News", "First message");
  await agent.open(`/console/conversations/${begun.id}`);
  await node("heading", "Nia News");
  await eventually(async () =>
    expect((await node("region", "Messages of the conversation")).text).toContain("First message"),
  );
  expect((await node("log", "New messages")).text).toBe("");
  await begun.write("Second message");
  await eventually(async () => expect((await node("log", "New messages")).text).toBe("Nia News: Second message"));
  expect((await node("log", "New messages")).properties).toMatchObject({ live: "polite" });
  await use("button", "Agent: Nobody", "Enter");
  await node("searchbox", "Agent");
  await page.keyboard.type("Tomasz");
  await node("option", /^Tomasz/);
  await page.keyboard.press("Enter");
  // What has happened is announced too.
  await eventually(async () => {
    const notices = (await readTree()).find(({ role, name }) => role === "region" && name === "Notices");
    expect(notices?.text).toContain("Assigned to Tomasz Wielki.");
  });
});

test("pages have one main heading, and landmarks with names", async () => {
  for (const path of ["/inbox", "/customers", "/search", "/templates", "/preferences"]) {
    await agent.open(`/console${path}`);
    await page.getByRole("main").getByRole("heading", { level: 1 }).first().waitFor();
    const tree = await readTree();
    expect([
      path,
      tree.filter(({ role, properties }) => role === "heading" && properties["level"] === 1).length,
    ]).toEqual([path, 1]);
    expect(tree.filter(({ role }) => role === "main")).toHaveLength(1);
    expect(tree.filter(({ role, name }) => role === "navigation" && name === "")).toEqual([]);
  }
});

test("the browser reported no errors", () => {
  // The customer's video is on a server that does not exist.
  expect(agent.errors.filter((error) => !error.includes("shop.example"))).toEqual([]);
});
