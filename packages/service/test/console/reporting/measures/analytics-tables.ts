import { setTimeout } from "node:timers/promises";
import { statement, type Database } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../../src/index.ts";

const ENDS = statement(
  "",
  `select (select seq from projection_cursors where name = 'analytics') as projected, coalesce((select max(seq) from outbox), 0) as last`,
);

/** Waits until every event of the log is processed. */
export async function untilProcessed(database: Database): Promise<void> {
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  try {
    for (let polls = 0; polls < 1_000; polls += 1) {
      const ends = await pool.one<{ projected: number; last: number }>(ENDS, []);
      if (ends && ends.projected >= ends.last) return;
      await setTimeout(10);
    }
    throw new Error("the log is not processed to its end");
  } finally {
    await pool.end();
  }
}

/** The tables of analytics, each with a stable order, so that two databases can be compared. */
const TABLES = {
  interactions: "conversation_id, interaction_id",
  assignments: "seq, kind",
  responses: "created_time, message_id",
  metric_hours: "account_id, measure, cut, hour, group_id, agent_id",
  open_interactions: "account_id, group_id, agent_id",
} as const;
export type AnalyticsTable = keyof typeof TABLES;
export type Row = Readonly<Record<string, unknown>>;

/** Returns all rows of a table, or those of one conversation. Rows whose counts are zero are equal to missing ones. */
export async function analyticsRowsOf(
  database: Database,
  table: AnalyticsTable,
  conversationId?: string,
): Promise<Row[]> {
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  const none = table === "open_interactions" ? "where count <> 0" : "";
  const of = conversationId === undefined ? none : `where conversation_id = '${conversationId}'`;
  try {
    return await pool.rows<Row>(statement("", `select * from ${table} ${of} order by ${TABLES[table]}`), []);
  } finally {
    await pool.end();
  }
}

/** Returns all rows of all tables. */
export const allAnalyticsRows = async (database: Database): Promise<Record<string, Row[]>> => {
  const entries = Object.keys(TABLES).map(
    async (table) => [table, await analyticsRowsOf(database, table as AnalyticsTable)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
};

/** Deletes all rows, as in a database of an earlier release. No process may be writing. */
export async function deleteAnalyticsRows(database: Database): Promise<void> {
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  await pool.rows(statement("", `truncate ${Object.keys(TABLES).join(", ")}`), []);
  await pool.rows(statement("", "update projection_cursors set seq = 0 where name = 'analytics'"), []);
  await pool.end();
}
