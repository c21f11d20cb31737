import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { importHarness, type ImportHarness } from "./import-harness.ts";

let d: ImportHarness;
beforeAll(async () => {
  d = await importHarness();
  const created = await d.importRecords([...ACCOUNT, ...PEOPLE]);
  expect(created.last).toMatchObject({ done: true, created: 6, refused: 0 });
});
afterAll(() => d.close());

const AT = "2024-05-01T10:00:00.000Z";
const ACCOUNT = [
  { type: "account", name: "shop", channels: [{ name: "Inbox" }], groups: [{ name: "Sales" }] },
  { type: "agent", id: "ida", email: "ida@shop.example", groups: ["Sales"] },
];
const user = (id: string, more: object = {}) => ({ type: "user", id, created_time: AT, ...more });
const conversation = (conversation_id: string, more: object = {}) => ({
  type: "conversation",
  conversation_id,
  channel_id: "Inbox",
  user_id: "u-1",
  created_time: AT,
  ...more,
});
const message = (id: string, more: object = {}) => ({
  type: "message",
  id,
  conversation_id: "c-1",
  actor_type: "user",
  message_parts: [{ text: { content: `This is ${id}` } }],
  created_time: "2024-05-01T10:01:00.000Z",
  ...more,
});
const PEOPLE = [
  user("u-1", { first_name: "Ana" }),
  conversation("c-1"),
  message("m-1"),
  message("m-2", { actor_type: "agent", actor_id: "ida@shop.example" }),
];

describe("POST /admin/import 200 ends at the first refused line", () => {
  test.each<[string, object | string, string, string]>([
    ["text that is not JSON", "{", "INVALID_JSON", "The line is not valid JSON"],
    ["a line that is not an object", "[1]", "INVALID_VALUE", "must be an object"],
    ["a type that there is not", { type: "ticket" }, "INVALID_VALUE", "type must be one of account, agent"],
    ["a member that there is not", user("u-9", { nickname: "A" }), "INVALID_VALUE", "nickname is not a member"],
    ["a user without a time", { type: "user", id: "u-9" }, "MISSING_PARAMETER", "created_time"],
    ["a time that is none", user("u-9", { created_time: "yesterday" }), "INVALID_VALUE", "created_time must be a date"],
    ["an unknown user", conversation("c-9", { user_id: "nobody" }), "USER_NOT_FOUND", "user_id names no user"],
    ["an unknown channel", conversation("c-9", { channel_id: "None" }), "CHANNEL_NOT_FOUND", "channel_id"],
    ["an unknown group", conversation("c-9", { assigned_group_id: "None" }), "GROUP_NOT_FOUND", "assigned_group_id"],
    ["an unknown agent", conversation("c-9", { assigned_agent_id: "x" }), "AGENT_NOT_FOUND", "assigned_agent_id"],
    [
      "assigned without an agent",
      conversation("c-9", { status: "assigned" }),
      "INVALID_VALUE",
      "assigned_agent_id is mandatory",
    ],
    [
      "new and assigned",
      conversation("c-9", { status: "new", assigned_agent_id: "ida" }),
      "INVALID_VALUE",
      "status must be assigned",
    ],
    ["properties of a stand-alone account", conversation("c-9", { properties: {} }), "INVALID_VALUE", "stand-alone"],
    [
      "an unknown conversation",
      message("m-9", { conversation_id: "c-9" }),
      "CONVERSATION_NOT_FOUND",
      "conversation_id",
    ],
    ["another user's message", message("m-9", { actor_id: "u-2" }), "INVALID_ACTOR", "actor_id"],
    ["a part that is none", message("m-9", { message_parts: [{ text: 5 }] }), "INVALID_VALUE", "message_parts[0]"],
    ["other content of a user", user("u-1", { first_name: "Eva" }), "CONFLICT", "first_name differs"],
    ["other content of a conversation", conversation("c-1", { status: "resolved" }), "CONFLICT", "status differs"],
    ["other content of a message", message("m-1", { actor_type: "bot" }), "CONFLICT", "actor_type differs"],
    ["other content of an agent", { ...ACCOUNT[1], first_name: "Ida" }, "CONFLICT", "first_name differs"],
    ["an agent's address again", { type: "agent", id: "b", email: "IDA@shop.example" }, "AGENT_EMAIL_TAKEN", "Another"],
    [
      "a group that there is not",
      { type: "agent", id: "b", email: "b@x.example", groups: ["X"] },
      "GROUP_NOT_FOUND",
      "",
    ],
    [
      "a user's avatar that is a script",
      user("u-9", { avatar: { url: "javascript:x" } }),
      "INVALID_VALUE",
      "avatar.url",
    ],
    [
      "an agent's avatar that is a script",
      { type: "agent", id: "b", email: "b@x.example", avatar: { url: "javascript:x" } },
      "INVALID_VALUE",
      "avatar.url",
    ],
    ["an empty id", user(""), "INVALID_VALUE", "id must not be empty"],
    ["an export that was cut off", { type: "end", records: 70 }, "INVALID_VALUE", "70 records, of which 1"],
  ])("%s", async (_name, record, status, reason) => {
    const before = await d.countRows("users");
    const { code, last } = await d.importRecords(
      [user("u-1", { first_name: "Ana" }), record, user("u-7")],
      "?account=shop",
    );
    expect(code).toBe(200);
    expect(last).toMatchObject({ line: 1, done: false, created: 0, unchanged: 1, refused: 1 });
    expect(await d.countRows("users")).toBe(before);
    // The second to last line contains the problem.
    const { lines } = await d.importRecords([user("u-1", { first_name: "Ana" }), record], "?account=shop&dry_run=true");
    const problem = lines.find((line) => line.problem)?.problem;
    expect(problem).toMatchObject({ line: 2, status });
    expect(problem?.message).toContain(reason);
  });
});

test("POST /admin/import 200 names the line, and imports all lines before it", async () => {
  const { lines, last } = await d.importRecords(
    [user("a-1"), user("a-2"), conversation("a-c", { user_id: "a-3" }), user("a-3")],
    "?account=shop",
  );
  expect(lines.find((line) => line.problem)?.problem).toMatchObject({ line: 3, code: 404, status: "USER_NOT_FOUND" });
  expect(last).toMatchObject({ line: 2, done: false, created: 2, refused: 1 });
  const rest = await d.importRecords(
    [user("a-1"), user("a-2"), user("a-3"), conversation("a-c", { user_id: "a-3" })],
    "?account=shop",
  );
  expect(rest.last).toMatchObject({ line: 4, done: true, created: 2, unchanged: 2 });
});

test("POST /admin/import 200 with present=keep keeps existing records, with present=update changes them and keeps what events contain", async () => {
  const other = [
    user("u-1", { first_name: "Eva" }),
    conversation("c-1", { status: "resolved" }),
    message("m-1", { meta_data: { a: 1 } }),
  ];
  const stored = await d.importRecords(other, "?account=shop&present=keep");
  expect(stored.last).toMatchObject({ done: true, updated: 0, unchanged: 3 });
  const changed = await d.importRecords(other, "?account=shop&present=update");
  expect(changed.last).toMatchObject({ done: true, updated: 3, unchanged: 0 });
  const again = await d.importRecords(other, "?account=shop");
  expect(again.last).toMatchObject({ done: true, updated: 0, unchanged: 3 });
  const { records } = await d.exportRecords("?account=shop");
  expect(records.find((each) => each.type === "user" && each.first_name === "Eva")).toMatchObject({
    reference_id: "u-1",
  });
  expect(await d.countRows("user_revisions", "body like '%Ana%'")).toBe(1);
  expect(await d.countRows("conversation_revisions", "status = 'new'")).toBe(1);
});

test("POST /admin/import 200 refuses an id that another account's record has", async () => {
  const id = "7b6c1d64-2a55-4b39-9d6c-0f0f5a3c7e11";
  expect((await d.importRecords([user(id)], "?account=shop")).last).toMatchObject({ done: true, created: 1 });
  for (const present of ["refuse", "keep", "update"]) {
    const { lines } = await d.importRecords([user(id)], `?account=acme&present=${present}`);
    expect(lines[0]?.problem).toMatchObject({ line: 1, status: "CONFLICT" });
    expect(lines[0]?.problem?.message).toContain("another account");
  }
});

test("POST /admin/import refuses another media type with UNSUPPORTED_MEDIA_TYPE, and requests without a key", async () => {
  const wrong = await d.sendImport("{}", "", { "content-type": "application/json" });
  expect(wrong.code).toBe(415);
  const reply = await d.raw("POST", "/admin/import", {
    headers: { "content-type": "application/x-ndjson" },
    body: "{}",
  });
  expect(reply.status).toBe(401);
  expect((await d.importRecords([user("x")])).lines[0]?.problem?.message).toContain("begin with an account record");
});

test("GET /admin/export refuses an unknown account with ACCOUNT_NOT_FOUND", async () => {
  const { code, text } = await d.exportRecords("?account=nobody");
  expect([code, JSON.parse(text)]).toMatchObject([404, { status: "ACCOUNT_NOT_FOUND" }]);
});
