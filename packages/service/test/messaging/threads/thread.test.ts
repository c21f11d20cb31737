import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SESSION_TOKEN, type Message } from "@parley/contract";
import { statement, type Db, type Statement } from "@parley/database";
import { KEYED_PLANS } from "../../../src/base/db/pools.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { threadStore } from "../../../src/messaging/threads/store.ts";
import { consoleHarness, outcome, UNKNOWN_ID, type ConsoleHarness } from "../../console/console-harness.ts";

interface Thread {
  readonly messages: readonly Message[];
  readonly has_older: boolean;
  readonly has_newer: boolean;
}

let s: ConsoleHarness;
let conversationId: string;
/** Messages 0 to 11 of the conversation. */
let all: readonly Message[];
beforeAll(async () => {
  s = await consoleHarness();
  const { conversation_id } = await s.conversation(
    "Ada",
    Array.from({ length: 11 }, (_, index) => `${index}`),
  );
  await s.client.messages.createMessage({
    params: { conversation_id },
    body: {
      actor_type: "agent",
      actor_id: s.diego.id,
      message_type: "private",
      message_parts: [{ text: { content: "11" } }],
    },
  });
  conversationId = conversation_id;
  const { messages } = await s.client.messages.listMessages({
    params: { conversation_id },
    query: { items_per_page: 50 },
  });
  all = messages.toReversed();
});
afterAll(() => s.close());

const read = (query: Record<string, string | number> = {}, id = conversationId) =>
  s.call<Thread>(
    s.diego,
    "GET",
    `/conversations/${id}/messages?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`,
  );
const idAt = (index: number): string => all[index]?.id ?? "";

describe("GET /console/api/conversations/{conversation_id}/messages 200", () => {
  test("lists the newest messages with the oldest first, private notes included", async () => {
    const { code, body } = await read();
    expect([code, body]).toEqual([200, { messages: all, has_older: false, has_newer: false }]);
    expect(body.messages.at(-1)?.message_type).toBe("private");
  });

  test.each([
    ["the end", { limit: 3 }, [9, 10, 11], true, false],
    ["before a message", { before: 5, limit: 3 }, [2, 3, 4], true, true],
    ["before a message, to the beginning", { before: 3, limit: 3 }, [0, 1, 2], false, true],
    ["before the first message", { before: 0 }, [], false, true],
    ["after a message", { after: 5, limit: 3 }, [6, 7, 8], true, true],
    ["after a message, to the end", { after: 8, limit: 3 }, [9, 10, 11], true, false],
    ["after the last message", { after: 11 }, [], true, false],
    ["around a message", { around: 5, limit: 5 }, [3, 4, 5, 6, 7], true, true],
    ["around a message with an even limit", { around: 5, limit: 6 }, [3, 4, 5, 6, 7], true, true],
    ["around a message, itself only", { around: 5, limit: 1 }, [5], true, true],
    ["around the first message", { around: 0, limit: 5 }, [0, 1, 2], false, true],
    ["around the last message", { around: 11, limit: 5 }, [9, 10, 11], true, false],
  ] as const)(
    "%s",
    async (
      _,
      { limit, ...place }: { limit?: number; before?: number; after?: number; around?: number },
      expected,
      has_older,
      has_newer,
    ) => {
      const named = Object.entries(place).map(([name, index]) => [name, idAt(index).toUpperCase()] as const);
      const { code, body } = await read({ ...Object.fromEntries<string>(named), ...(limit && { limit }) });
      const places = body.messages.map(({ id }) => all.findIndex((each) => each.id === id));
      expect([code, places, body.has_older, body.has_newer]).toEqual([200, expected, has_older, has_newer]);
    },
  );

  test("takes the number of the conversation in place of its id", async () => {
    const { body } = await read({ limit: 1 }, all[0]?.freshchat_conversation_id);
    expect(body.messages).toEqual([all.at(-1)]);
  });

  test("reads only the page and its neighbours anywhere in 20,000 messages", async () => {
    const { conversation_id } = await s.conversation("Talkative");
    await s.sql(
      `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
       select gen_random_uuid(), $1, nextval('log_positions'), now(), '1-1', json_build_object('id', i)::text
         from generate_series(1, 20000) i`,
      [conversation_id],
    );
    await s.sql("vacuum analyze messages");
    const ids = await s.sql<{ id: string }>("select id from messages where conversation_id = $1 order by seq", [
      conversation_id,
    ]);
    const keyed = s.database.pool(SERVICE_SCHEMA, { max: 1, settings: KEYED_PLANS });
    const limit = 50;
    for (const place of [undefined, 10, 10_000, 19_990]) {
      const sent: [Statement, readonly unknown[]][] = [];
      const record: Db["one"] = (text, values) => {
        sent.push([text, values]);
        return Promise.resolve(undefined);
      };
      const anchor = place === undefined ? undefined : ids[place]?.id;
      const query = { accountId: 1001, conversationId: conversation_id, anchor, older: limit, newer: limit };
      await threadStore({ rows: () => Promise.resolve([]), one: record }).read(query);
      const [[{ text }, values]] = sent as [[Statement, readonly unknown[]]];
      const explained = await keyed.rows<{ "QUERY PLAN": string }>(statement("", `explain (analyze) ${text}`), values);
      const read = explained.flatMap(({ "QUERY PLAN": line }) => {
        const rows = /on messages.*actual time=\S+ rows=([\d.]+) loops=(\d+)/.exec(line);
        return rows ? [Number(rows[1]) * Number(rows[2])] : [];
      });
      expect(read.length).toBeGreaterThan(0);
      expect(read.reduce((sum, rows) => sum + rows, 0)).toBeLessThanOrEqual(2 * (limit + 1) + 1);
    }
    await keyed.end();
  });
});

test("GET /console/api/conversations/{conversation_id}/messages 404 MESSAGE_NOT_FOUND for a message that the conversation lacks", async () => {
  const other = await s.conversation("Eve");
  const { messages } = await s.client.messages.listMessages({ params: { conversation_id: other.conversation_id } });
  for (const id of [UNKNOWN_ID, "none", messages[0]?.id ?? ""])
    for (const place of ["before", "after", "around"])
      expect(outcome(await read({ [place]: id }))).toBe("404 MESSAGE_NOT_FOUND");
});

test("GET /console/api/conversations/{conversation_id}/messages 404 CONVERSATION_NOT_FOUND for an unknown conversation and one of another account", async () => {
  const { id } = await s.solo.users.createUser({ body: { first_name: "Elsewhere" } });
  const { channels } = await s.solo.channels.listChannels();
  const message = { actor_type: "user" as const, actor_id: id, message_parts: [{ text: { content: "Hi" } }] };
  const { conversation_id } = await s.solo.conversations.createConversation({
    body: { channel_id: channels[0]?.id ?? "", users: [{ id }], messages: [message] },
  });
  for (const each of [UNKNOWN_ID, "none", "1", conversation_id])
    for (const query of [{}, { around: idAt(1) }, { before: "none" }] as Record<string, string>[])
      expect(outcome(await read(query, each))).toBe("404 CONVERSATION_NOT_FOUND");
});

test.each([
  ["two places", { before: UNKNOWN_ID, after: UNKNOWN_ID }],
  ["three places", { before: UNKNOWN_ID, after: UNKNOWN_ID, around: UNKNOWN_ID }],
  ["no messages", { limit: 0 }],
  ["more messages than a page has", { limit: 201 }],
  ["a limit that is not a number", { limit: "many" }],
] as const)("GET /console/api/conversations/{conversation_id}/messages 400 INVALID_VALUE for %s", async (_, query) => {
  expect(outcome(await read(query))).toBe("400 INVALID_VALUE");
});

test("addresses of uploads in a thread are renewed", async () => {
  let time = Date.now();
  const late = await consoleHarness({ ports: { now: () => new Date(time) } });
  try {
    const { conversation_id, user_id } = await late.conversation("Uploader");
    const form = new FormData();
    form.set("file", new Blob(["content"], { type: "text/plain" }), "a.txt");
    const uploaded = await late.raw("POST", "/v2/files/upload", { body: form });
    const { file_hash } = (await uploaded.json()) as { file_hash: string };
    const sent = await late.client.messages.createMessage({
      params: { conversation_id },
      body: { actor_type: "user", actor_id: user_id, message_parts: [{ file: { file_hash } }] },
    });
    time += 8 * 24 * 60 * 60 * 1000;
    const session = await late.signIn("diego@acme.example");
    const { body } = await late.call<Thread>({ session }, "GET", `/conversations/${conversation_id}/messages`);
    const statusOf = async (message: Message | undefined) =>
      (await fetch(message?.message_parts[0]?.file?.url ?? "")).status;
    expect([await statusOf(sent), await statusOf(body.messages.at(-1))]).toEqual([403, 200]);
  } finally {
    await late.close();
  }
});

describe("a long reply", () => {
  const replyTo = (path: string, accepted: string, headers: Readonly<Record<string, string>>) =>
    fetch(s.url + path, { headers: { ...headers, "accept-encoding": accepted } });
  const encodingOf = async (path: string, accepted: string, headers: Readonly<Record<string, string>>) => {
    const reply = await replyTo(path, accepted, headers);
    await reply.json();
    return [reply.status, reply.headers.get("content-encoding"), reply.headers.get("vary")];
  };
  const sessionOf = ({ cookie = "", token = "" }: (typeof s.diego)["session"]) => ({ cookie, [SESSION_TOKEN]: token });

  test("to a page is compressed from 8 kB on, and has the content of one that is not", async () => {
    const session = sessionOf(s.diego.session);
    const pathOf = async (length: number) => {
      const { conversation_id } = await s.conversation("Ada", ["x".repeat(length)]);
      return `/console/api/conversations/${conversation_id}/messages`;
    };
    const around = (await (await replyTo(await pathOf(1_000), "identity", session)).text()).length - 1_000;
    // Numbers of conversations may become longer meanwhile.
    const margin = 20;
    for (const [length, encoding] of [
      [8_192 - margin, null],
      [8_192 + margin, "gzip"],
    ] as const) {
      const path = await pathOf(length - around);
      const reply = await replyTo(path, "gzip", session);
      expect([length, reply.headers.get("content-encoding")]).toEqual([length, encoding]);
      expect(await reply.text()).toBe(await (await replyTo(path, "identity", session)).text());
    }
  });

  test("to a page is compressed if the client accepts gzip; a short one and one to a program are not", async () => {
    const { conversation_id } = await s.conversation("Ada", ["long ".repeat(3_000)]);
    const path = `/console/api/conversations/${conversation_id}/messages`;
    const session = sessionOf(s.diego.session);
    expect(await encodingOf(path, "br, gzip;q=0.5", session)).toEqual([200, "gzip", "Accept-Encoding"]);
    for (const accepted of ["identity", "gzip;q=0, br", "deflate"])
      expect(await encodingOf(path, accepted, session)).toEqual([200, null, "Accept-Encoding"]);
    expect(await encodingOf("/console/api/drafts", "gzip", session)).toEqual([200, null, "Accept-Encoding"]);
    const program = { authorization: `Bearer ${s.token}` };
    expect(await encodingOf(`/v2/conversations/${conversation_id}/messages`, "gzip", program)).toEqual([
      200,
      null,
      null,
    ]);
  });
});
