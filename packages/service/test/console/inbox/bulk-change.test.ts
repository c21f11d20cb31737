import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { BULK_CHANGE_MAX, type BulkChangeResult, type ConversationChange } from "@parley/contract";
import { inboxHarness, type InboxAgent, type InboxHarness } from "./inbox-harness.ts";

const CHANGES = "/console/api/conversations/changes";

let s: InboxHarness;
let me: InboxAgent;
beforeAll(async () => {
  s = await inboxHarness();
  me = await s.agent("Global", [s.groups[0] ?? ""]);
});
afterAll(() => s.close());

const changeAll = (conversation_ids: readonly unknown[], change: ConversationChange) =>
  s.page<{ results: BulkChangeResult[] }>("POST", CHANGES, { session: me.session, body: { conversation_ids, change } });

test("POST /console/api/conversations/changes 200 changes each conversation by itself, in the name of the agent", async () => {
  const ids = [await s.begin(), await s.begin(), await s.begin()];
  const { code, body } = await changeAll(ids, { status: "assigned", assigned_agent_id: me.id });
  expect([code, body.results]).toEqual([
    200,
    ids.map((conversation_id) => ({ conversation_id, code: 200, status: "OK" })),
  ]);
  for (const id of ids) expect((await s.item(me, id)).assigned_agent_id).toBe(me.id);
  expect([...(await s.list(me, { agent: "me" }))].sort()).toEqual(ids.toSorted());
});

test("POST /console/api/conversations/changes 200 reports the problem of each conversation that is not changed", async () => {
  const [fresh, assigned, elsewhere, same] = [await s.begin(), await s.begin(), await s.begin(), await s.begin()];
  await s.change(assigned, { status: "assigned", assigned_agent_id: me.id });
  await s.change(elsewhere, { assigned_group_id: s.groups[1] ?? "" });
  const number = String((await s.item(me, same)).number);
  const unknown = "00000000-0000-4000-8000-000000000000";
  const { body } = await changeAll([fresh, assigned, elsewhere, unknown, "x", number, fresh], {
    status: "assigned",
    assigned_agent_id: me.id,
  });
  expect(body.results.map(({ code, status }) => [code, status])).toEqual([
    [200, "OK"],
    [200, "OK"],
    [400, "AGENT_NOT_IN_GROUP"],
    [404, "CONVERSATION_NOT_FOUND"],
    [404, "CONVERSATION_NOT_FOUND"],
    [200, "OK"],
    [200, "OK"],
  ]);
  expect(body.results.every(({ code, message }) => (code === 200) === (message === undefined))).toBe(true);
  expect((await s.item(me, elsewhere)).status).toBe("new");
});

test("POST /console/api/conversations/changes 200 changes as many as it takes, and no more", async () => {
  const ids = await Promise.all(Array.from({ length: BULK_CHANGE_MAX }, () => s.begin()));
  const { body } = await changeAll(ids, { properties: { cf_notes: "all of them" } });
  expect(body.results.map(({ conversation_id }) => conversation_id)).toEqual(ids);
  expect((await s.pageOf(me, { property: "cf_notes:all of them" })).total).toBe(BULK_CHANGE_MAX);
  const refused = await changeAll([...ids, ids[0]], { properties: { cf_notes: "too many" } });
  expect(refused.code).toBe(400);
  expect((await s.pageOf(me, { property: "cf_notes:too many" })).total).toBe(0);
});

test.each([
  ["no conversations", [], {}],
  ["no texts", [1], {}],
  ["an unknown status", ["ID"], { status: "open" }],
])("POST /console/api/conversations/changes refuses %s", async (_, ids, change) => {
  const id = await s.begin();
  const { code } = await changeAll(
    ids.map((each) => (each === "ID" ? id : each)),
    change as ConversationChange,
  );
  expect(code).toBe(400);
  expect((await s.item(me, id)).status).toBe("new");
});
