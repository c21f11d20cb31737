import { expect } from "@jest/globals";
import type { ConversationChange, InboxFilter, InboxOrder } from "@parley/contract";
import type { Locator, Page } from "playwright-core";
import {
  consoleHarness,
  eventually,
  type AgentBrowser,
  type ConsoleHarness,
  type CustomerConversation,
} from "../support/harness.ts";

/** Ids of the account's agents and topics. */
export interface InboxIds {
  /** The signed-in agent. */
  readonly own: string;
  readonly colleague: string;
  /** By their names. */
  readonly topics: ReadonlyMap<string, string>;
}

/** Conversations by the customer's name: their topics and changes. */
export const CONVERSATIONS: readonly (readonly [
  name: string,
  topic: string,
  change: (ids: InboxIds) => ConversationChange,
])[] = [
  ["Ada One", "Inbox", ({ own }) => ({ status: "assigned", assigned_agent_id: own })],
  [
    "Bea Two",
    "Billing",
    ({ own }) => ({ status: "assigned", assigned_agent_id: own, properties: { priority: "High" } }),
  ],
  ["Cem Three", "Billing", ({ colleague }) => ({ status: "assigned", assigned_agent_id: colleague })],
  ["Dan Four", "Billing", () => ({ properties: { priority: "Urgent" } })],
  ["Eva Five", "Support", () => ({ properties: { priority: "Medium" } })],
  ["Fay Six", "Support", () => ({ status: "resolved" })],
  ["Gil Seven", "Returns", () => ({})],
];

/** The inbox of a signed-in agent, with a few conversations. */
export interface ConsoleInbox extends InboxIds {
  readonly s: ConsoleHarness;
  readonly agent: AgentBrowser;
  readonly page: Page;
  readonly grid: Locator;
  /** By the customer's name. */
  readonly begun: Map<string, CustomerConversation>;
  idOf(name: string): string;
  rowOf(name: string): Locator;
  viewLink(name: string): Locator;
  change(name: string, change: ConversationChange): Promise<void>;
  /** Ids of the rows in the document, from the top. */
  shownIds(): Promise<readonly string[]>;
  /** Waits until the list shows what the API lists, in its order. */
  showsList(filter: InboxFilter, order?: InboxOrder): Promise<void>;
  /** The filter that the address of the page names. */
  filterOfAddress(): InboxFilter;
}

export const consoleInbox = async (): Promise<ConsoleInbox> => {
  const s = await consoleHarness();
  const agent = await s.visit();
  const { page } = agent;
  const workspace = await agent.session.workspace.getWorkspace();
  const own = workspace.agent.agent_id;
  const colleague = workspace.agents.find(({ email }) => email === "noah@acme.example")?.id ?? "";
  const topics = new Map(workspace.channels.map(({ name, id }) => [name, id]));
  const begun = new Map<string, CustomerConversation>();
  const idOf = (name: string): string => begun.get(name)?.id ?? "";
  const change = async (name: string, body: ConversationChange): Promise<void> => {
    await s.client.conversations.updateConversation({ params: { conversation_id: idOf(name) }, body });
  };
  for (const [name, topic, changeOf] of CONVERSATIONS) {
    begun.set(name, await s.beginConversation(name, `Hello from ${name}`, topics.get(topic)));
    const body = changeOf({ own, colleague, topics });
    if (Object.keys(body).length > 0) await change(name, body);
  }
  const grid = page.getByRole("grid", { name: "Conversations" });

  const shownIds = (): Promise<readonly string[]> =>
    grid
      .getByRole("row")
      .evaluateAll((rows) =>
        rows
          .toSorted((one, other) => Number(one.ariaRowIndex) - Number(other.ariaRowIndex))
          .map((row) => (row as HTMLElement).dataset["id"] ?? ""),
      );
  const listedIds = async (filter: InboxFilter, order: InboxOrder): Promise<readonly string[]> => {
    const query = { ...filter, order, limit: 100 };
    const { conversations } = await agent.session.inbox.listInbox({ query });
    return conversations.map(({ conversation_id }) => conversation_id);
  };

  return {
    s,
    agent,
    page,
    own,
    colleague,
    topics,
    begun,
    grid,
    idOf,
    change,
    shownIds,
    rowOf: (name) => grid.getByRole("row").filter({ hasText: name }),
    viewLink: (name) =>
      page
        .getByRole("navigation", { name: "Views" })
        .getByRole("link", { name: new RegExp(`^${name}( \\d+ conversations?)?$`) }),
    showsList: (filter, order = "newest_activity") =>
      eventually(async () => expect(await shownIds()).toEqual(await listedIds(filter, order))),
    filterOfAddress() {
      const entries = [...new URL(page.url()).searchParams].filter(([name]) => name !== "view" && name !== "order");
      return Object.fromEntries(entries.map(([name, value]) => [name, value === "true" ? true : value]));
    },
  };
};
