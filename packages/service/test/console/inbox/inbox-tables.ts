import { setTimeout } from "node:timers/promises";
import { statement, type Database } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";

type Row = Readonly<Record<string, unknown>>;

/** Runs a statement on the tables of the service. */
export const inboxRows = async <R = Row>(
  database: Database,
  text: string,
  values: readonly unknown[] = [],
): Promise<R[]> => {
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  try {
    return await pool.rows<R>(statement("", text), values);
  } finally {
    await pool.end();
  }
};

/** Waits until the log is projected to its end and the projection is idle. */
export const untilEntered = async (database: Database): Promise<void> => {
  const READY = `select (select seq from projection_cursors where name = 'inbox') >= coalesce((select max(seq) from outbox), 0)
                        and not exists (select from inbox_changes) and not exists (select from inbox_backfill) as is_ready`;
  for (let polls = 0; polls < 1_000; polls += 1) {
    const [row] = await inboxRows<{ is_ready: boolean }>(database, READY);
    if (row?.is_ready) return;
    await setTimeout(10);
  }
  throw new Error("the inbox is not up to date");
};

/** All rows of the projection, each table in a stable order. Cells whose count is zero are equal to missing ones. */
export const allInboxRows = async (database: Database) => ({
  entries: await inboxRows(database, "select * from inbox_entries order by conversation_id"),
  properties: await inboxRows(database, "select * from inbox_properties order by conversation_id, key"),
  counts: await inboxRows(
    database,
    "select * from inbox_counts where count <> 0 order by account_id, status, agent_id, group_id, channel_id, priority",
  ),
});

/** Makes the database one of an earlier release, whose conversations are not entered. No process may be writing. */
export const forgetInbox = async (database: Database): Promise<void> => {
  await inboxRows(database, "truncate inbox_entries, inbox_properties, inbox_counts, inbox_changes, inbox_backfill");
  await inboxRows(database, "insert into inbox_backfill values ('00000000-0000-0000-0000-000000000000')");
};
