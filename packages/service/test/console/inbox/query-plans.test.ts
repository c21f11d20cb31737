import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { INBOX_ORDERS, type InboxFilter, type InboxOrder } from "@parley/contract";
import { statement, type Db, type Pool, type Statement } from "@parley/database";
import { readInboxCounts } from "../../../src/console/inbox/counts.sql.ts";
import { positionOf } from "../../../src/console/inbox/cursor.ts";
import { inboxPageStore } from "../../../src/console/inbox/page.sql.ts";
import { viewOf, type InboxViewer } from "../../../src/console/inbox/view.ts";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { inboxHarness, type InboxHarness } from "./inbox-harness.ts";
import { inboxRows, untilEntered } from "./inbox-tables.ts";

const CONVERSATIONS = 6_000;
const LIMIT = 20;

let s: InboxHarness;
let pool: Pool;
let viewer: InboxViewer;
let accountId: number;

// Each conversation has one message. A third is open. One group has resolved conversations only, one agent has none that are resolved.
const ADD_CONVERSATIONS = `
  insert into conversations (id, account_id, number, user_id, channel_id, created_time, updated_time, status, assigned_agent_id,
                             assigned_group_id, interaction_id, properties)
  select gen_random_uuid(), account.id, 5000000000 + g, gen_random_uuid(), $1::uuid, now() - g * interval '1 minute', now(),
         case when g % 3 > 0 then 'resolved' else 'assigned' end, case when g % 12 = 0 then $2::uuid else gen_random_uuid() end,
         case when g % 3 = 1 then $3::uuid when g % 5 = 0 then $4::uuid end, g || '-1', '{"priority":"High"}'
    from generate_series(1, ${CONVERSATIONS}) g, (select id from accounts where name = 'acme') account`;
const ADD_MESSAGES = `
  insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
  select gen_random_uuid(), id, nextval('log_positions'), created_time, interaction_id,
         '{"actor_type":"user","message_type":"normal","message_parts":[],"created_time":"2025-01-01T00:00:00.000Z"}'
    from conversations where number > 5000000000`;

beforeAll(async () => {
  s = await inboxHarness();
  const { id } = await s.agent("Global", [s.groups[1] ?? ""]);
  viewer = { id, scope: "Global", groups: [s.groups[1] ?? ""] };
  await inboxRows(s.database, ADD_CONVERSATIONS, [s.channels[0], id, s.groups[0], s.groups[1]]);
  await inboxRows(s.database, ADD_MESSAGES);
  await inboxRows(s.database, "insert into inbox_backfill values ('00000000-0000-0000-0000-000000000000')");
  await untilEntered(s.database);
  await inboxRows(s.database, "analyze");
  accountId = (await inboxRows<{ id: number }>(s.database, "select id from accounts where name = 'acme'"))[0]?.id ?? 0;
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await s.close();
});

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Node[];
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** Runs statements with EXPLAIN ANALYZE beside their normal execution. -> rows that were read of a table */
const rowsReadOf = async (table: string, work: (db: Db) => Promise<unknown>): Promise<number> => {
  let count = 0;
  const explained = async (text: Statement, values: readonly unknown[]) => {
    const [row] = await pool.rows<{ "QUERY PLAN": [{ Plan: Node }] }>(
      statement("", `explain (analyze, timing off, format json) ${text.text}`),
      values,
    );
    for (const node of nodesOf(row?.["QUERY PLAN"][0].Plan as Node))
      if (node["Relation Name"] === table)
        count += (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
  };
  await work({
    rows: async (text, values) => {
      await explained(text, values);
      return pool.rows(text, values);
    },
    one: async (text, values) => {
      await explained(text, values);
      return pool.one(text, values);
    },
  });
  return count;
};

/** The position of the page in the middle of a list. */
const middleOf = async (order: InboxOrder, filter: InboxFilter, who: InboxViewer) => {
  const query = { accountId, agentId: who.id, view: viewOf(filter, who), order, after: undefined };
  const rows = await inboxPageStore(pool).page({ ...query, limit: CONVERSATIONS });
  const middle = rows[Math.floor(rows.length / 2)];
  return middle && positionOf(order, middle);
};

const VIEWS: readonly (readonly [name: string, filter: InboxFilter, who: Partial<InboxViewer>])[] = [
  ["all open conversations", {}, {}],
  ["all conversations", { status: "all" }, {}],
  ["the agent's open conversations", { agent: "me" }, {}],
  ["the agent's conversations, of which none is resolved", { agent: "me", status: "all" }, {}],
  ["a group without open conversations", { group: "FIRST" }, {}],
  ["the scope Group", { status: "all" }, { scope: "Group" }],
  ["the scope Me", { status: "all" }, { scope: "Me" }],
];

describe.each(INBOX_ORDERS)("in the order %s, a page reads few rows, at the beginning and in the middle:", (order) => {
  test.each(VIEWS)("%s", async (_, { group, ...filter }, who) => {
    const asked = { ...filter, ...(group && { group: s.groups[0] ?? "" }) };
    const as = { ...viewer, ...who };
    const view = viewOf(asked, as);
    for (const after of [undefined, await middleOf(order, asked, as)]) {
      const read = await rowsReadOf("inbox_entries", (db) =>
        inboxPageStore(db).page({ accountId, agentId: as.id, view, order, after, limit: LIMIT }),
      );
      // Reading all conversations of the view, or those of the account, would read 2,000 and more.
      expect(read).toBeLessThan(1_000);
    }
  });
});

test("a total and the counts read counted cells, and of the conversations those that may be unread", async () => {
  const view = viewOf({ status: "all" }, viewer);
  const total = (db: Db) => inboxPageStore(db).total({ accountId, agentId: viewer.id, view });
  expect(await rowsReadOf("inbox_entries", total)).toBe(0);
  const mine = CONVERSATIONS / 12;
  expect(await rowsReadOf("inbox_entries", (db) => readInboxCounts(db, accountId, viewer))).toBeLessThanOrEqual(mine);
});
