import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { SearchResults } from "@parley/contract";
import type { Locator, Page } from "playwright-core";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";
import { expectedResults, SECTIONS, shownResults } from "./search-results.ts";

/** The search over messages, customers and conversations, and the palette by which agents open one of them. */

let s: ConsoleHarness;
let agent: AgentBrowser;
let page: Page;
/** Messages of one conversation. */
const MANY = 190;
/** Id of an early message, the only message with the word zebrawood. */
let early: string;
/** Another topic than the first topic. */
let topic: { readonly id: string; readonly name: string };

beforeAll(async () => {
  s = await consoleHarness();
  agent = await s.visit();
  ({ page } = agent);
  const { channels } = await s.client.channels.listChannels({ query: { items_per_page: 50 } });
  const { id, name } = channels.find((channel) => channel.id !== s.channelId && channel.enabled)!;
  topic = { id, name };
  const long = await s.beginConversation("Lou Long", "Entry 1 of the ledger");
  for (let number = 2; number <= MANY; number += 1) {
    const written = await long.write(`Entry ${number} of the ledger${number === 20 ? ", about zebrawood" : ""}`);
    if (number === 20) early = written;
  }
});
afterAll(() => s.stop());

const field = () => page.getByRole("searchbox", { name: "Search messages, customers and conversations" });
const section = (name: string): Locator => page.getByRole("region", { name, exact: true });
const results = (name: string): Locator => section(name).getByRole("listitem");
const status = (text: RegExp): Locator => page.getByRole("main").getByRole("status").filter({ hasText: text });
const choose = async (filter: string, choice: string): Promise<void> => {
  await page.getByRole("button", { name: new RegExp(`${filter}$`) }).click();
  await page.getByRole("option", { name: choice, exact: true }).click();
};
type Query = Parameters<AgentBrowser["session"]["search"]["search"]>[0]["query"];
const found = (query: Query): Promise<SearchResults> => agent.session.search.search({ query: { limit: 6, ...query } });

/** Waits for a search whose results are complete: changes are indexed within moments. -> what the API says */
const indexed = async (query: Query, isComplete: (reply: SearchResults) => boolean): Promise<SearchResults> => {
  let reply: SearchResults = {};
  await eventually(async () => {
    reply = await found(query);
    expect(isComplete(reply)).toBe(true);
  });
  return reply;
};

/** Waits until the page shows what the API found. */
const shows = (reply: SearchResults): Promise<void> =>
  eventually(async () =>
    expect(await Promise.all(SECTIONS.map((name) => shownResults(page, name)))).toEqual(expectedResults(reply)),
  );

test("messages, customers and conversations are found as by the API, with the words marked", async () => {
  const { id, userId } = await s.beginConversation("Marigold Finch", "Do you have Marigold seeds, or MARIGOLDS?");
  const reply = await indexed({ q: "marigold" }, ({ messages, users, conversations }) =>
    [messages, users, conversations].every((list) => list?.length === 1),
  );
  await agent.open("/console/search");
  await field().fill("marigold");
  await shows(reply);
  expect((await shownResults(page, "Messages"))[0]?.marks).toEqual(["Marigold", "MARIGOLDS"]);
  await status(/^3 results$/).waitFor();
  const paths = {
    Customers: `/customers/${userId}`,
    Conversations: `/conversations/${id}`,
    Messages: `/conversations/${id}`,
  };
  for (const [name, path] of Object.entries(paths)) {
    await results(name).getByRole("link").click();
    await page.waitForURL(`**/console${path}*`);
    await page.goBack();
    await shows(reply);
    expect(await field().inputValue()).toBe("marigold");
  }
});

test("words in quotes follow each other, and a word after a minus sign does not occur", async () => {
  await s.beginConversation("Quentin", "The green lampshade is torn");
  await s.beginConversation("Quirin", "The lampshade should be green");
  await indexed({ q: "lampshade" }, ({ messages }) => messages?.length === 2);
  await agent.open("/console/search");
  for (const [q, text] of [
    ['"green lampshade"', "The green lampshade is torn"],
    ["lampshade -torn", "The lampshade should be green"],
  ] as const) {
    await field().fill(q);
    const reply = await found({ q });
    expect(reply.messages).toHaveLength(1);
    await shows(reply);
    await results("Messages").getByText(text).waitFor();
  }
});

test("filters of kind, topic and time agree with the API, and the address keeps them", async () => {
  await s.beginConversation("Tom Turmeric", "Where is my turmeric?");
  await s.beginConversation("Tina", "The turmeric is here", topic.id);
  await s.importMessage([{ text: { content: "Old turmeric" } }]);
  const q = "turmeric";
  const all = await indexed({ q }, ({ messages, users }) => messages?.length === 3 && users?.length === 1);
  await agent.open(`/console/search?q=${q}`);
  await shows(all);
  const ofTopic = await found({ q, channel_id: topic.id });
  expect(ofTopic.messages).toHaveLength(1);
  await choose("Topic", topic.name);
  await shows(ofTopic);
  await choose("What to search", "Messages");
  await shows(await found({ q, channel_id: topic.id, kinds: "messages" }));
  await page.reload();
  await shows(await found({ q, channel_id: topic.id, kinds: "messages" }));
  await choose("Topic", "Every topic");
  await shows(await found({ q, kinds: "messages" }));
  const recent = await found({ q, kinds: "messages", from_time: new Date(Date.now() - 86_400_000).toISOString() });
  expect(recent.messages).toHaveLength(2);
  await choose("Time", "Last 24 hours");
  await shows(recent);
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ q, kind: "messages", range: "day" });
  await choose("Topic", topic.name);
  // Customers have no topic.
  await choose("What to search", "Customers");
  await shows(await found({ q, kinds: "users" }));
  expect(await page.getByRole("button", { name: /Topic$/ }).count()).toBe(0);
});

test("a result opens the conversation at this message, also at an early one of many", async () => {
  await indexed({ q: "zebrawood" }, ({ messages }) => messages?.[0]?.message.id === early);
  await agent.open("/console/search?q=zebrawood");
  await results("Messages").getByRole("link").click();
  const thread = page.getByRole("region", { name: "Messages of the conversation" });
  const message = thread.locator(`[data-key="${early}"]`);
  await message.waitFor();
  const isInView = async (): Promise<boolean> => {
    const [inner, outer] = [await message.boundingBox(), await thread.boundingBox()];
    return inner !== null && outer !== null && inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height;
  };
  await eventually(async () => expect(await isInView()).toBe(true));
  // The highlight ends when everything around the message has been laid out.
  await eventually(async () => expect(await message.getAttribute("data-highlighted")).toBe("false"));
  expect(await isInView()).toBe(true);
  expect(await thread.getByText(`Entry ${MANY} of the ledger`, { exact: true }).count()).toBe(0);
  await page.getByRole("button", { name: "To the newest message" }).click();
  await thread.getByText(`Entry ${MANY} of the ledger`, { exact: true }).waitFor();
});

test("all results of a kind are shown page by page", async () => {
  await indexed({ q: "ledger" }, ({ messages }) => messages?.length === 6);
  await agent.open("/console/search?q=ledger");
  await status(/^The first 6 results$/).waitFor();
  await section("Messages").getByRole("button", { name: "More messages" }).click();
  await status(/^The first 20 results$/).waitFor();
  const more = page.getByRole("button", { name: "Show more" });
  for (let count = 40; count < MANY; count += 20) {
    await more.click();
    await status(new RegExp(`^The first ${count} results$`)).waitFor();
  }
  await more.click();
  await status(new RegExp(`^${MANY} results$`)).waitFor();
  expect(await more.count()).toBe(0);
  const expected: string[] = [];
  let cursor: string | undefined;
  do {
    const reply = await found({ q: "ledger", kinds: "messages", limit: 50, ...(cursor && { cursor }) });
    expected.push(...(reply.messages ?? []).map(({ message }) => message.id));
    cursor = reply.next;
  } while (cursor !== undefined);
  expect(expected).toHaveLength(MANY);
  const ids = (await shownResults(page, "Messages")).map(({ to }) => to.split("message=").at(-1));
  expect(ids).toEqual(expected);
  // Whoever returns from a result is where it was.
  const last = results("Messages").last().getByRole("link");
  await last.click();
  await page.waitForURL(`**/conversations/*`);
  await page.goBack();
  await eventually(async () => expect((await last.boundingBox())?.y).toBeLessThan(900));
  await page.goBack();
  await status(/^The first 6 results$/).waitFor();
});

test("a text with HTML is shown as it was written", async () => {
  const text = `<b>quokka</b> <img src="x" onerror="alert(1)"> &amp; <script>quokka()</script>`;
  await s.beginConversation("Hugo", text);
  const reply = await indexed({ q: "quokka" }, ({ messages }) => messages?.length === 1);
  await agent.open("/console/search?q=quokka");
  await shows(reply);
  expect(await results("Messages").innerText()).toContain(text);
  expect(await results("Messages").locator("img, script, b").count()).toBe(0);
});

test("a search without results says what to do, and finds a message that arrives when it is repeated", async () => {
  const conversation = await s.beginConversation("Axel", "Hello");
  await agent.open("/console/search?q=axolotl&kind=messages&range=day");
  await page.getByText("Nothing was found").waitFor();
  await page.getByText("Check the spelling, use fewer words, or search every topic and time.").waitFor();
  await page.getByRole("button", { name: "Search everything" }).click();
  await eventually(() => expect(new URL(page.url()).search).toBe("?q=axolotl"));
  await page.getByText("Nothing was found").waitFor();
  await conversation.write("Do you have food for an axolotl?");
  await eventually(async () => {
    await field().press("Enter");
    await results("Messages").getByText("food for an").waitFor({ timeout: 500 });
  }, 10_000);
});

test("private notes are found, and marked as such", async () => {
  const conversation = await s.beginConversation("Nora", "Hello");
  const { agent: self } = await agent.session.workspace.getWorkspace();
  const note = { actor_type: "agent", actor_id: self.agent_id, message_type: "private" } as const;
  const body = { ...note, message_parts: [{ text: { content: "Discreet platypus" } }] };
  await s.client.messages.createMessage({ params: { conversation_id: conversation.id }, body });
  await conversation.write("A public platypus");
  const reply = await indexed({ q: "platypus" }, ({ messages }) => messages?.length === 2);
  await agent.open("/console/search?q=platypus");
  await shows(reply);
  const result = (text: string) => results("Messages").filter({ hasText: text });
  await result("Discreet").getByText("Private note").waitFor();
  await result("Discreet").getByText("Olivia Reyes").waitFor();
  await result("public").getByText("Nora").waitFor();
  expect(await result("public").getByText("Private note").count()).toBe(0);
});

test("recent searches are offered, and can be cleared", async () => {
  await agent.open("/console/search");
  for (const text of ["first thing", "second thing"]) {
    await field().fill(text);
    await field().press("Enter");
  }
  await agent.open("/console/search");
  const recent = section("Recent searches");
  await eventually(async () =>
    expect((await recent.getByRole("listitem").allInnerTexts()).slice(0, 2)).toEqual(["second thing", "first thing"]),
  );
  await recent.getByRole("button", { name: "first thing" }).click();
  await eventually(() => expect(new URL(page.url()).searchParams.get("q")).toBe("first thing"));
  expect(await field().inputValue()).toBe("first thing");
  await field().fill("");
  await recent.getByRole("button", { name: "Clear" }).click();
  await recent.waitFor({ state: "detached" });
});

test.each([
  ["an unknown kind and time", "?kind=nonsense&range=never&q=ledger", /^The first \d+ results$/],
  ["an unknown topic", "?q=ledger&channel=nonsense", /^0 results$/],
  ["a topic with customers, who have no topic", () => `?q=lou&kind=users&channel=${topic.id}`, /^1 result$/],
  ["a very long text", `?q=${"ledger".repeat(900)}`, /^0 results$/],
  ["signs only", `?q=${encodeURIComponent('- " -""')}`, /^0 results$/],
])("an address with %s is a page that can be used", async (_kind, address, text) => {
  await indexed({ q: "ledger" }, ({ messages }) => messages?.length === 6);
  await agent.open(`/console/search${typeof address === "string" ? address : address()}`);
  await status(text).waitFor();
  await field().fill("zebrawood");
  await eventually(() => expect(new URL(page.url()).searchParams.get("q")).toBe("zebrawood"));
});

test("an address of the inbox with unknown values is the inbox", async () => {
  await agent.open("/console/inbox?status=nonsense&order=never&message=1");
  await page.getByRole("grid").getByRole("row").filter({ hasText: "Lou Long" }).waitFor();
});

test("the palette opens customers, conversations by number, and the search", async () => {
  const { id, userId } = await s.beginConversation("Pia Palette", "A palette of colours");
  const { conversations } = await indexed({ q: "Pia Palette" }, (reply) => reply.conversations?.length === 1);
  const number = conversations?.[0]?.conversation.freshchat_conversation_id ?? "";
  await agent.open("/console/search");
  await field().waitFor();
  const type = async (text: string) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Commands" }).fill(text);
  };
  await type("pia pal");
  await page.getByRole("group", { name: "Customers" }).getByRole("option", { name: "Pia Palette" }).click();
  await page.waitForURL(`**/console/customers/${userId}`);
  await type(`#${number}`);
  await page
    .getByRole("option", { name: `Conversation ${number}` })
    .first()
    .click();
  await page.waitForURL(`**/console/conversations/${id}`);
  await type("palette of colours");
  await page.getByRole("option", { name: "Search for “palette of colours”" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/console/search?q=palette*");
  await results("Messages").getByText("of colours").waitFor();
});

test("the browser reported no errors", () => {
  expect(agent.errors).toEqual([]);
});
