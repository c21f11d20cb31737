import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import { generateLoad } from "../../../../src/index.ts";
import { importHarness, type ImportHarness } from "./import-harness.ts";

let [here, there]: ImportHarness[] = [];
beforeAll(async () => {
  [here, there] = await Promise.all([importHarness(), importHarness()]);
});
afterAll(() => Promise.all([here?.close(), there?.close()]));

const open = (d: ImportHarness | undefined): ImportHarness => d as ImportHarness;

test("GET /admin/export 200 returns what POST /admin/import 200 accepts, and another instance exports the same", async () => {
  const [from, to] = [open(here), open(there)];
  await generateLoad({ database: from.database, account: "shop", users: 120, messages: 500, seed: 5 });
  const shop = parleyClient({
    url: from.url,
    token: (await from.admin.issueToken({ account: "shop", name: "t" })).token,
  });
  const { users } = await shop.users.listUsers({ query: { created_from: "1970-01-01T00:00:00Z" } });
  const spoken = (await from.exportRecords("?account=shop")).records.find((record) => record.type === "conversation");
  const { conversation_id = "", user_id } = spoken ?? {};
  await shop.csat.createCsat({ params: { conversation_id }, body: { issue_resolved: true, rating: 4 } });
  const gone = users.find(({ id }) => id !== user_id);
  await shop.users.deleteUser({ params: { user_id: gone?.id ?? "" } });

  const exported = await from.exportRecords("?account=shop");
  expect(exported.code).toBe(200);
  expect(exported.records[0]).toMatchObject({ type: "account", name: "shop" });
  expect(exported.records.at(-1)).toEqual({ type: "end", records: exported.records.length - 1 });
  const countOf = (type: string) => exported.records.filter((record) => record.type === type).length;
  expect(["user", "message", "agent", "csat"].map(countOf)).toEqual([120, 500, 4, 1]);

  const dry = await to.sendImport(exported.text, "?dry_run=true");
  expect(dry.last).toMatchObject({ done: true, refused: 0 });
  expect(await to.countRows("accounts", "name = 'shop'")).toBe(0);

  const imported = await to.sendImport(exported.text);
  expect(imported.code).toBe(200);
  expect(imported.last).toEqual({
    line: exported.records.length,
    done: true,
    created: exported.records.length - 1,
    updated: 0,
    unchanged: 0,
    refused: 0,
  });
  // The app belongs to the account: its id differs in each message.
  const less = (records: readonly object[]) => records.map((record) => ({ ...record, app_id: "" }));
  expect(less((await to.exportRecords("?account=shop")).records)).toEqual(less(exported.records));
  expect(await to.countRows("outbox", "account_id = (select id from accounts where name = 'shop')")).toBe(0);

  const again = await to.sendImport(exported.text);
  expect(again.last).toMatchObject({ done: true, created: 0, updated: 0, unchanged: exported.records.length - 1 });
  expect(less((await to.exportRecords("?account=shop")).records)).toEqual(less(exported.records));
});

test("imported records are listed in the order of their times, and imported conversations can be continued", async () => {
  const to = open(there);
  const { token } = await to.admin.issueToken({ account: "shop", name: "reader" });
  const shop = parleyClient({ url: to.url, token });
  const query = { created_from: "1970-01-01T00:00:00Z", items_per_page: 100 };
  const { users, pagination } = await shop.users.listUsers({ query });
  expect(pagination.total_items).toBe(119);
  const times = users.map(({ created_time }) => created_time);
  expect(times).toEqual(times.toSorted());
  for (const { id } of users) {
    const [conversation] = (await shop.users.listUserConversations({ params: { user_id: id } })).conversations;
    if (!conversation) continue;
    const params = { conversation_id: conversation.id };
    const body = { actor_type: "user" as const, actor_id: id, message_parts: [{ text: { content: "Me again." } }] };
    const sent = await shop.messages.createMessage({ params, body });
    const { messages } = await shop.messages.listMessages({ params, query: {} });
    expect(messages.slice(0, 2)).toContainEqual(sent);
    return;
  }
  throw new Error("nobody has a conversation");
});
