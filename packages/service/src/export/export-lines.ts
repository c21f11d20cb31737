import { ACCOUNT_NOT_FOUND, refuse, type ImportedEnd } from "@parley/contract";
import type { Connection, Database } from "@parley/database";
import { SERVICE_SCHEMA } from "../db/migrations.ts";
import { readState } from "../setup/read.sql.ts";
import { documentOf } from "../setup/sections/state.ts";
import { instantOf } from "../users/instant.ts";
import type { AccountRow } from "../accounts/store.ts";
import { exportStore } from "./read.sql.ts";

export interface ExportOptions {
  readonly database: Database;
  /** This one alone; all when absent. */
  readonly account?: string | undefined;
  /** Only what was made or changed from this time on. */
  readonly since?: string | undefined;
  /** Hears how many records there are so far. */
  readonly progress?: ((records: number) => void) | undefined;
}

/** Records as lines. */
interface Lines {
  readonly text: string;
  readonly records: number;
}

const linesOf = (rows: readonly { readonly line: string }[]): Lines => ({
  text: `${rows.map(({ line }) => line).join("\n")}\n`,
  records: rows.length,
});

/** Those that others name come before them. */
async function* accountLines(connection: Connection, row: AccountRow, since: string): AsyncGenerator<Lines> {
  const store = exportStore(connection);
  const document = documentOf(await readState(connection, row));
  yield linesOf([{ line: JSON.stringify({ type: "account", ...document }) }]);
  const agents = await store.agents(row.id);
  if (agents.length > 0) yield linesOf(agents);
  for await (const uploads of store.uploads(row.id, since)) yield linesOf(uploads);
  for await (const users of store.users(row.id, since)) yield linesOf(users);
  for await (const conversations of store.conversations(row.id, since)) {
    yield linesOf(conversations);
    const ids = conversations.map(({ id }) => id);
    for await (const messages of store.messages(ids, since)) yield linesOf(messages);
  }
  for await (const ratings of store.csats(row.id, since)) yield linesOf(ratings);
}

/**
 * Opens an export of the present moment: what is committed later is not in it.
 * @errors ACCOUNT_NOT_FOUND
 * @assumed With a time to begin at, account and agents are there whole, of the rest what was made or changed from then on. A record of
 * metrics, an event, a token, a subscription is none: those are in a backup.
 */
export async function openExportLines({
  database,
  account,
  since,
  progress,
}: ExportOptions): Promise<AsyncGenerator<string>> {
  const connection = await database.connect(SERVICE_SCHEMA);
  const store = exportStore(connection);
  const from = since === undefined ? "-infinity" : instantOf.ceil(since);
  let rows: AccountRow[];
  try {
    await store.begin();
    rows = await store.accounts(account);
    if (account !== undefined && rows.length === 0) refuse(ACCOUNT_NOT_FOUND);
  } catch (error) {
    await connection.close();
    throw error;
  }

  async function* lines(): AsyncGenerator<string> {
    let records = 0;
    try {
      for (const row of rows)
        for await (const page of accountLines(connection, row, from)) {
          records += page.records;
          yield page.text;
          progress?.(records);
        }
      await store.end();
      const end: ImportedEnd = { type: "end", records };
      yield `${JSON.stringify(end)}\n`;
    } finally {
      await connection.close();
    }
  }
  return lines();
}
