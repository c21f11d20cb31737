import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { MessengerConversation } from "@parley/contract";
import { statement, type Db, type Statement } from "@parley/database";
import { KEYED_PLANS } from "../../../src/base/db/pools.ts";
import { createTypicalResponse } from "../../../src/console/reporting/metrics/metrics.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { visitorConversationStore } from "../../../src/messenger/conversations/store.ts";
import { conversationHarness, type ConversationHarness, type TestVisitor } from "../conversation-harness.ts";

/** @units messages */
const LONG = 5_000;
/** Messages of a conversation that a list reads at most. */
const READ_MAX = 50;

let s: ConversationHarness;
let visitor: TestVisitor;
let conversation: MessengerConversation;
let accountId: number;
beforeAll(async () => {
  s = await conversationHarness();
  visitor = await s.visitor();
  ({ conversation } = await s.begin(visitor));
  await s.sql(
    `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
     select gen_random_uuid(), m.conversation_id, nextval('log_positions'), now(), m.interaction_id,
            (m.body::jsonb || jsonb_build_object('actor_type', 'bot', 'id', gen_random_uuid()))::text
       from messages m, generate_series(1, ${LONG})
      where m.conversation_id = $1`,
    [conversation.id],
  );
  await s.sql("vacuum analyze messages");
  accountId = (await s.sql<{ id: number }>("select id from accounts where name = 'acme'"))[0]?.id ?? 0;
});
afterAll(() => s.close());

/** -> how many rows the statements of a read take from a table @shape row: each statement's result, as far as the read looks at it */
const rowsRead = async (read: (db: Db) => Promise<unknown>, table = "messages", row?: object): Promise<number> => {
  const sent: [Statement, readonly unknown[]][] = [];
  const record = <R>(text: Statement, values: readonly unknown[]) => {
    sent.push([text, values]);
    return Promise.resolve(row ? [row as R] : []);
  };
  await read({
    rows: record,
    one: (...query: Parameters<typeof record>) => record(...query).then(() => undefined),
  });
  const keyed = s.database.pool(SERVICE_SCHEMA, { max: 1, settings: KEYED_PLANS });
  const counts: number[] = [];
  for (const [{ text }, values] of sent) {
    const explained = await keyed.rows<{ "QUERY PLAN": string }>(statement("", `explain (analyze) ${text}`), values);
    for (const { "QUERY PLAN": line } of explained) {
      const found = new RegExp(`on ${table}\\b.*actual time=\\S+ rows=([\\d.]+) loops=(\\d+)`).exec(line);
      if (found) counts.push(Number(found[1]) * Number(found[2]));
    }
  }
  await keyed.end();
  expect(counts).not.toEqual([]);
  return counts.reduce((sum, count) => sum + count, 0);
};

test("the list of conversations reads only the newest of 5,000 messages, and counts at most 50 unread ones", async () => {
  expect(await rowsRead((db) => visitorConversationStore.ofUser(db, accountId, visitor.userId))).toBeLessThanOrEqual(
    READ_MAX,
  );
  expect(await rowsRead((db) => visitorConversationStore.one(db, accountId, conversation.id))).toBeLessThanOrEqual(
    READ_MAX,
  );
  const { body } = await s.request<{ conversations: MessengerConversation[] }>("GET", "/conversations", visitor);
  expect(body.conversations.map(({ unread_count }) => unread_count)).toEqual([READ_MAX]);
});

test("the response time reads one row for each hour of a week, whatever else is measured", async () => {
  await s.sql(
    `insert into metric_hours (account_id, measure, cut, hour, count, sum_ms, min_ms, max_ms, buckets, counts)
     select account, measure, cut, date_trunc('hour', now()) - make_interval(hours => hours), 1, 60000, 60000, 60000, '{551}', '{1}'
       from unnest(array[$1::integer, 1001, 1002]) as account, unnest('{created,wait,first_response,response,resolution}'::text[]) as measure,
            unnest('{all,group,agent,both}'::text[]) as cut, generate_series(0, 2000) as hours
         on conflict do nothing`,
    [accountId],
  );
  await s.sql("vacuum analyze metric_hours");
  const typical = (reads: Db) => createTypicalResponse({ reads, now: () => new Date() })(accountId);
  // Two statements: the number of responses, and their median.
  const hoursOfWeek = 7 * 24 + 1;
  expect(await rowsRead(typical, "metric_hours", { count: 5, quantile: 1 })).toBeLessThanOrEqual(2 * hoursOfWeek);
});
