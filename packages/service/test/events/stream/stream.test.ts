import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { PERMISSIONS, type EventKind, type Permission, type ServiceEvent } from "@parley/contract";
import { STREAM_RULES } from "../../../src/events/stream/stream-rules.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { streamReaders, type StreamReader, type StreamReaderOptions } from "./stream-reader-fixture.ts";

let w: ServiceHarness;
let channel: string;
let time = Date.now();
beforeAll(async () => {
  w = await serviceHarness({
    ports: { now: () => new Date(time) },
    streamRules: {
      ...STREAM_RULES,
      perToken: 4,
      perProcess: 6,
      keepAliveMs: 200,
      checkMs: 50,
      cachedRows: 4,
      batch: 2,
    },
  });
  channel = await firstChannelId(w);
});
afterAll(() => w.close());

const { open, closeAll } = streamReaders(() => w);
afterEach(closeAll);
const tokenFor = async (permissions: readonly Permission[]) =>
  (await w.admin.issueToken({ account: "acme", name: "reader", permissions })).token;
const kindsOf = (one: StreamReader) => one.events.map(({ event }) => event);
const lastOf = (one: StreamReader): ServiceEvent => one.events.at(-1)?.data as ServiceEvent;

describe("GET /stream", () => {
  test("GET /stream 200 sends each event once it is committed, in the form that apps get, with its id", async () => {
    const one = await open();
    expect(one.headers["content-type"]).toBe("text/event-stream");
    expect(one.headers["cache-control"]).toBe("no-store");
    expect(one.headers["x-ratelimit-limit"]).toBe("1000000");
    expect(one.text()).toMatch(/^retry: 1000\nid: [0-9a-z]+-[0-9a-f]{8}\n\n(?:: still here\n\n)*$/);
    const { conversationId, userId, sendMessage } = await conversationFixture(w, channel);
    await sendMessage("second\nline");
    await one.until(() => one.events.length === 4);
    expect(kindsOf(one)).toEqual(["user_create", "conversation_create", "message_create", "message_create"]);
    const [user, conversation, , message] = one.events.map(({ data }) => data);
    expect(user).toMatchObject({ kind: "user_create", account: "acme", data: { user: { id: userId } } });
    expect(conversation?.data.conversation?.messages).toHaveLength(1);
    expect(message?.data.message).toMatchObject({
      conversation_id: conversationId,
      messages: [{ message_parts: [{ text: { content: "second\nline" } }] }],
    });
    expect(new Set(one.events.map(({ id }) => id)).size).toBe(4);
  });

  test("continues after the event in Last-Event-ID, whichever process sent it", async () => {
    const one = await open();
    const { sendMessage } = await conversationFixture(w, channel);
    await sendMessage("told");
    await one.until(() => one.events.length === 4);
    one.disconnect();
    await sendMessage("missed");
    const other = await open({ lastEventId: one.events[1]?.id });
    await other.until(() => other.events.length === 3);
    expect(other.events.slice(0, 2)).toEqual(one.events.slice(2));
    const again = await open({ lastEventId: one.cursor });
    await again.until(() => again.events.length === 1);
    expect(again.events[0]).toEqual(other.events[2]);
  });

  test("sends keep-alives, with a later position if only other accounts' events happened", async () => {
    const one = await open({ query: "?types=user_update" });
    const first = one.cursor;
    await conversationFixture(w, channel);
    await one.until(() => one.cursor !== first);
    expect(one.text()).toContain(": still here\n");
    expect(one.events).toEqual([]);
  });

  test("sends another account nothing", async () => {
    const solo = await w.admin.issueToken({ account: "solo", name: "reader" });
    const [theirs, mine] = [await open({ token: solo.token }), await open()];
    await conversationFixture(w, channel);
    await mine.until(() => mine.events.length === 3);
    await w.solo.users.createUser({ body: { first_name: "Sol" } });
    await theirs.until(() => theirs.events.length === 1);
    expect(lastOf(theirs).account).toBe("solo");
  });

  test("answers HEAD with the headers only", async () => {
    const one = await open({ method: "HEAD" });
    await one.ended;
    expect([one.status, one.headers["content-type"], one.text()]).toEqual([200, "text/event-stream", ""]);
  });
});

describe("a stream sends what is requested:", () => {
  const FILTERS: [string, (received: string) => string, (received: string, other: string) => [EventKind, string][]][] =
    [
      [
        "kinds",
        () => "?types=message_create,%20user_update",
        (received, other) => [
          ["message_create", other],
          ["message_create", received],
        ],
      ],
      [
        "a conversation",
        (received) => `?conversation_id=${received.toUpperCase()}`,
        (received) => [
          ["message_create", received],
          ["conversation_update", received],
        ],
      ],
      [
        "kinds of a conversation",
        (received) => `?types=conversation_update&conversation_id=${received}`,
        (received) => [["conversation_update", received]],
      ],
    ];
  test.each(FILTERS)("%s", async (_, query, expected) => {
    const [received, other] = [await conversationFixture(w, channel), await conversationFixture(w, channel)];
    const one = await open({ query: query(received.conversationId) });
    const all = await open();
    await other.sendMessage("other");
    await received.sendMessage("heard");
    const assigned_group_id = (await w.client.groups.listGroups()).groups[0]?.id ?? "";
    const params = { conversation_id: received.conversationId };
    await w.client.conversations.updateConversation({ params, body: { status: "new", assigned_group_id } });
    await all.until(() => kindsOf(all).includes("conversation_update"));
    const due = expected(received.conversationId, other.conversationId);
    await one.until(() => one.events.length >= due.length);
    const about = ({ data }: ServiceEvent) => (data.message ?? data.conversation)?.conversation_id;
    expect(one.events.map(({ event, data }) => [event, about(data)])).toEqual(due);
  });
});

test("a stream of one conversation gets each of its events after any number of others, however few are kept in memory", async () => {
  const [own, other] = [await conversationFixture(w, channel), await conversationFixture(w, channel)];
  const readers = [
    await open({ query: `?conversation_id=${own.conversationId}` }),
    await open({ query: `?types=message_create` }),
  ];
  const textsOf = (one: StreamReader): unknown[] =>
    one.events.map(({ data }) => data.data.message?.messages?.[0]?.message_parts);
  const textPart = (content: string) => [{ text: { content } }];
  const sent: string[] = [];
  for (const [round, others] of [9, 1, 0, 4, 5].entries()) {
    const contents = Array.from({ length: others }, (_, index) => `other ${round}.${index}`);
    for (const content of contents) await other.sendMessage(content);
    await own.sendMessage(`own ${round}`);
    sent.push(...contents, `own ${round}`);
    await readers[0]?.until(() => readers[0]?.events.length === round + 1);
  }
  await readers[1]?.until(() => (readers[1]?.events.length ?? 0) >= sent.length);
  const expected = [sent.filter((text) => text.startsWith("own")), sent];
  expect(readers.map(textsOf)).toEqual(expected.map((texts) => texts.map(textPart)));
});

describe("a token gets events by its permissions:", () => {
  const KINDS: readonly EventKind[] = ["user_create", "conversation_create", "message_create", "message_create"];
  const CASES: [string, readonly Permission[], readonly EventKind[], readonly string[]][] = [
    ["all of it", PERMISSIONS, KINDS, []],
    ["users", ["user:read"], ["user_create"], []],
    ["messages", ["message:read"], KINDS.slice(2), ["status", "Ana", '"channel":{', "user_create"]],
    ["conversations", ["conversation:read"], ["conversation_create"], ["secret note", "first", "Ana", '"messages"']],
    ["conversations and messages", ["conversation:read", "message:read"], KINDS.slice(1), ["Ana", '"channel":{']],
  ];
  test.each(CASES)("%s", async (_, permissions, kinds, hidden) => {
    const one = await open({ token: await tokenFor(permissions) });
    const all = await open();
    const { conversationId } = await conversationFixture(w, channel);
    await w.client.messages.createMessage({
      params: { conversation_id: conversationId },
      body: { actor_type: "bot", message_type: "private", message_parts: [{ text: { content: "secret note" } }] },
    });
    await one.until(() => one.events.length >= kinds.length);
    expect(kindsOf(one)).toEqual(kinds);
    for (const word of hidden) expect(one.text()).not.toContain(word);
    expect(one.text()).not.toContain("restore_id");
    expect(one.text().includes("secret note")).toBe(permissions.includes("message:read"));
    // A stream starts at the position up to which the log is final, which may precede the latest response.
    await all.until(() => all.text().includes("secret note"));
  });
});

describe("GET /stream refuses", () => {
  const UNKNOWN = "3d6f3f7e-0000-4000-8000-000000000000";
  const CASES: [string, number, string, Partial<StreamReaderOptions>, string][] = [
    ["nobody", 401, "UNAUTHENTICATED", { token: "" }, "access token"],
    ["an unknown kind", 400, "INVALID_VALUE", { query: "?types=message_delete" }, "types must be some of"],
    ["a kind and nothing", 400, "INVALID_VALUE", { query: "?types=user_create," }, "types must be some of"],
    ["kinds twice", 400, "INVALID_VALUE", { query: "?types=user_create&types=user_update" }, "more than once"],
    ["an id that nobody gave", 400, "INVALID_VALUE", { lastEventId: "17" }, "Last-Event-ID must be"],
    [
      "GET /stream CONVERSATION_NOT_FOUND",
      404,
      "CONVERSATION_NOT_FOUND",
      { query: `?conversation_id=${UNKNOWN}` },
      "conversation",
    ],
    [
      "a conversation that is not an id",
      404,
      "CONVERSATION_NOT_FOUND",
      { query: "?conversation_id=7" },
      "conversation",
    ],
  ];
  test.each(CASES)("%s: %i %s", async (_, code, status, options, words) => {
    const { status: answered, refusal, headers } = await open(options);
    expect([answered, refusal?.status]).toEqual([code, status]);
    expect(refusal?.message).toContain(words);
    expect(headers["content-type"]).toMatch(/^application\/json/);
  });

  test("GET /stream 403 FORBIDDEN for a token without permission for any event, or for a requested one", async () => {
    const nothing = await open({ token: await tokenFor(["agent:read"]) });
    expect([nothing.status, nothing.refusal?.status]).toEqual([403, "FORBIDDEN"]);
    const part = await open({ token: await tokenFor(["user:read"]), query: "?types=user_create,message_create" });
    expect(part.refusal?.message).toContain("message:read");
  });

  test("GET /stream TOO_MANY_STREAMS: one more than a token may have; closing one makes room", async () => {
    const all = [await open(), await open(), await open(), await open()];
    const more = await open();
    expect([more.status, more.refusal?.status, more.headers["retry-after"]]).toEqual([429, "TOO_MANY_STREAMS", "5"]);
    all[0]?.disconnect();
    await all[0]?.ended;
    let again = await open();
    for (let tries = 0; again.status !== 200 && tries < 100; tries += 1) again = await open();
    expect(again.status).toBe(200);
  });

  test("503 SERVICE_UNAVAILABLE: one more than a process permits, without delaying other calls", async () => {
    const other = await tokenFor(PERMISSIONS);
    for (const token of [w.token, w.token, w.token, w.token, other, other])
      expect((await open({ token })).status).toBe(200);
    const more = await open({ token: other });
    expect([more.status, more.refusal?.status, more.headers["retry-after"]]).toEqual([503, "SERVICE_UNAVAILABLE", "5"]);
    expect((await w.raw("GET", "/v2/groups")).status).toBe(200);
  });
});

describe("a stream ends", () => {
  test("at the next check after its token's revocation, and others continue", async () => {
    const issued = await w.admin.issueToken({ account: "acme", name: "reader" });
    const [one, other] = [await open({ token: issued.token }), await open()];
    await w.admin.revokeToken(issued.id);
    w.expireCaches();
    await one.ended;
    await conversationFixture(w, channel);
    await other.until(() => other.events.length === 3);
    expect(one.events).toEqual([]);
  });

  test("when its token expires by the service's clock", async () => {
    const { token } = await w.admin.issueToken({ account: "acme", name: "reader", lifetimeSeconds: 3_600 });
    const one = await open({ token });
    time += 3_601_000;
    await one.ended;
    expect((await open({ token })).status).toBe(401);
  });
});
