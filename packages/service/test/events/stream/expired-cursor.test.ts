import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { streamReaders, type StreamReader } from "./stream-reader-fixture.ts";

let w: ServiceHarness;
let channel: string;
beforeAll(async () => {
  w = await serviceHarness();
  channel = await firstChannelId(w);
});
afterAll(() => w.close());

const { open, closeAll } = streamReaders(() => w);
afterEach(closeAll);
const kindsOf = (one: StreamReader) => one.events.map(({ event }) => event);

describe("a position that is no longer in the log", () => {
  const LAST = "(select max(seq) from outbox)";
  const AGE = "created_time = created_time - interval '31 days'";
  const change = async (...texts: readonly string[]) => {
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    for (const text of texts) await pool.rows(statement("", text), []);
    await pool.end();
  };
  /** A client that has received all but the last event of a conversation. */
  const behind = async () => {
    const before = await open();
    const { sendMessage } = await conversationFixture(w, channel);
    await before.until(() => before.events.length === 3);
    before.disconnect();
    return { say: sendMessage, place: before.events[1]?.id, missed: before.events[2] };
  };

  test.each([
    ["is gone", [`delete from outbox where seq = ${LAST} - 1`]],
    ["is another event's now", [`update outbox set id = gen_random_uuid() where seq = ${LAST} - 1`]],
    [
      "is old, and another event after it is gone",
      [`update outbox set ${AGE}`, `delete from outbox where seq = ${LAST}`],
    ],
  ])("since its event %s: a reset reports it, and later events follow", async (_, texts) => {
    const { say, place } = await behind();
    await change(...texts);
    const one = await open({ lastEventId: place });
    expect(one.frames[0]).toMatchObject({ event: "reset", id: expect.any(String), retry: 1000 });
    expect(JSON.parse(one.frames[0]?.data ?? "")).toMatchObject({ reason: "LAST_EVENT_GONE" });
    await say("after");
    await one.until(() => one.events.length === 2);
    expect(kindsOf(one)).toEqual(["reset", "message_create"]);
    const again = await open({ lastEventId: one.frames[0]?.id });
    await again.until(() => again.events.length === 1);
    expect(again.events[0]).toEqual(one.events[1]);
  });

  const WRITE = `insert into outbox (seq, id, account_id, partition, kind, entity_id, created_time, actor_type, user_id, user_revision)
    select nextval('log_positions'), gen_random_uuid(), account_id, 0, 'user_update', id, now(), 'system', id, revision
      from users limit 1`;
  test.each([
    ["beside another stream", true],
    ["as the first stream of its process", false],
  ])(
    "is different from one before the first event, %s: transactions in progress are waited for",
    async (_, isBeside) => {
      await conversationFixture(w, channel);
      await change("delete from outbox");
      const first = await open();
      await first.until(() => first.cursor !== undefined);
      const { cursor } = first;
      if (!isBeside) first.disconnect();
      const writer = await w.database.connect(SERVICE_SCHEMA);
      for (const text of ["begin", WRITE]) await writer.rows(statement("", text), []);
      await conversationFixture(w, channel);
      const opening = open({ lastEventId: cursor });
      // Without waiting it would have read the log before these are answered.
      for (let count = 0; count < 20; count++) await w.raw("GET", "/v2/groups");
      await writer.rows(statement("", "commit"), []);
      await writer.close();
      const one = await opening;
      await one.until(() => one.events.length === 4);
      expect(kindsOf(one)).toEqual(["user_update", "user_create", "conversation_create", "message_create"]);
    },
  );

  test("is different from an old one of which every later event exists", async () => {
    const { place, missed } = await behind();
    await change(`update outbox set ${AGE}`);
    const one = await open({ lastEventId: place });
    await one.until(() => one.events.length === 1);
    expect(one.events[0]?.id).toBe(missed?.id);
  });
});
