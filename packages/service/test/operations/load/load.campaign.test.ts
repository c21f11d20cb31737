import { expect, test } from "@jest/globals";
import { Compile } from "typebox/compile";
import { parleyClient, type ParleyClient } from "@parley/client";
import { Message, User } from "@parley/contract";
import { statement } from "@parley/database";
import { generateLoad, SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(serviceHarness);

const EVERYBODY = { created_from: "1970-01-01T00:00:00Z", items_per_page: 100 };
const isUser = Compile(User);
const isMessage = Compile(Message);
const LOGGED = statement("", "select count(*)::integer as count from outbox where account_id = $1");

const clientOf = async (account: string): Promise<ParleyClient> =>
  parleyClient({ url: w.url, token: (await w.admin.issueToken({ account, name: "test" })).token });

const peopleOf = async (client: ParleyClient) => {
  const people: User[] = [];
  for (let page = 1; ; page += 1) {
    const { users, pagination, links } = await client.users.listUsers({ query: { ...EVERYBODY, page } });
    people.push(...users);
    if (!links.next_page) return { people, total: pagination.total_items };
  }
};

const conversationsOf = async (client: ParleyClient, people: readonly User[]) => {
  const ids: string[] = [];
  for (const { id } of people) {
    const { conversations } = await client.users.listUserConversations({ params: { user_id: id } });
    ids.push(...conversations.map((each) => each.id));
  }
  return Promise.all(
    ids.map(async (conversation_id) => {
      const params = { conversation_id };
      const conversation = await client.conversations.getConversation({ params });
      const { messages } = await client.messages.listMessages({ params, query: { items_per_page: 50 } });
      return { conversation, messages };
    }),
  );
};

test("generated data reads as if it had been written over the API", async () => {
  const done = await generateLoad({ database: w.database, account: "shop", users: 200, messages: 900, seed: 7 });
  expect(done).toMatchObject({ users: 200, messages: 900 });
  const client = await clientOf("shop");
  const { people, total } = await peopleOf(client);
  expect([people.length, total]).toEqual([200, 200]);
  expect(people.filter((user) => !isUser.Check(user))).toEqual([]);
  const times = people.map(({ created_time }) => created_time);
  expect(times).toEqual(times.toSorted());
  expect(Date.parse(times.at(-1) ?? "") - Date.parse(times[0] ?? "")).toBeGreaterThan(600 * 86_400_000);

  const loaded = await conversationsOf(client, people);
  expect(loaded.length).toBe(done.conversations);
  const messages = loaded.flatMap((loadedConversation) => loadedConversation.messages);
  expect(messages.length).toBe(900);
  expect(messages.filter((message) => !isMessage.Check(message))).toEqual([]);
  for (const { conversation, messages: own } of loaded) {
    expect(conversation.updated_time).toBe(own[0]?.created_time);
    expect(own.at(-1)?.actor_type).toBe("user");
    expect(own[0]?.meta_data).toEqual(conversation.status === "resolved" ? { isResolved: true } : undefined);
    expect(conversation.status === "new").toBe(conversation.assigned_agent_id === undefined);
  }
  expect(new Set(loaded.map(({ conversation }) => conversation.status)).size).toBe(3);
});

test("a generated conversation can be continued: a message of its user reopens the latest one", async () => {
  const client = await clientOf("shop");
  const { people } = await peopleOf(client);
  for (const { id } of people) {
    const { conversations } = await client.users.listUserConversations({ params: { user_id: id } });
    const params = { conversation_id: conversations[0]?.id ?? "" };
    if (!conversations[0]) continue;
    if ((await client.conversations.getConversation({ params })).status !== "resolved") continue;
    const body = { actor_type: "user" as const, actor_id: id, message_parts: [{ text: { content: "Me again." } }] };
    const sent = await client.messages.createMessage({ params, body });
    expect((await client.conversations.getConversation({ params })).status).toBe("new");
    const { messages } = await client.messages.listMessages({ params, query: {} });
    expect(messages.slice(0, 2)).toContainEqual(sent);
    return;
  }
  throw new Error("nobody's latest conversation is resolved");
});

test("the same seed generates the same data, another run adds to it, and no events are sent", async () => {
  for (const account of ["one", "two"])
    await generateLoad({ database: w.database, account, users: 30, messages: 60, seed: 3 });
  const story = async (account: string) =>
    (await peopleOf(await clientOf(account))).people.map(({ first_name, email, created_time }) => [
      first_name,
      email,
      created_time,
    ]);
  expect(await story("one")).toEqual(await story("two"));
  await generateLoad({ database: w.database, account: "two", users: 20, messages: 0, seed: 4 });
  expect((await story("two")).length).toBe(50);
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const row = await pool.one<{ id: number }>(statement("", "select id from accounts where name = 'two'"), []);
  expect(await pool.one(LOGGED, [row?.id])).toEqual({ count: 0 });
  await pool.end();
});

test("an interrupted load leaves complete batches", async () => {
  const stop = new AbortController();
  const done = await generateLoad({
    database: w.database,
    account: "stopped",
    users: 9_000,
    messages: 0,
    seed: 1,
    signal: stop.signal,
    progress: () => stop.abort(),
  });
  expect(done.users % 1_000).toBe(0);
  expect(done.users).toBeLessThan(9_000);
  const { pagination } = await (await clientOf("stopped")).users.listUsers({ query: EVERYBODY });
  expect(pagination.total_items).toBe(done.users);
});
