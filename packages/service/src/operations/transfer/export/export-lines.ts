import { ACCOUNT_NOT_FOUND, refuse, type ImportedEnd } from "@parley/contract";
import type { Connection, Database } from "@parley/database";
import type { AccountDataOwner } from "../../administration/lifecycle/account-data.ts";
import { SERVICE_SCHEMA } from "../../../base/db/migrations.ts";
import { readStates } from "../../administration/document/account-lists.sql.ts";
import { documentOf } from "../../administration/document/sections/state.ts";
import { instantOf } from "../../../messaging/users/filters.sql.ts";
import type { AccountSettingsRow } from "../../../messaging/accounts/store.ts";
import { ACCOUNTS_PAGE_SIZE, exportStore } from "./read.sql.ts";

export interface ExportOptions {
  readonly database: Database;
  /** Exports this account only; all accounts when absent. */
  readonly account?: string | undefined;
  /** Exports only records created or changed at or after this time. */
  readonly since?: string | undefined;
  /** Data of accounts in tables of other components. */
  readonly accountData?: readonly AccountDataOwner[] | undefined;
  /** Called with the accounts before the first line. An error ends the export. */
  readonly opened?: ((accounts: readonly Pick<AccountSettingsRow, "id" | "name">[]) => Promise<void>) | undefined;
  /** Called with the number of records so far. */
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

/** Lines of a page of accounts, one after the other. A record comes after the records that it refers to. */
async function* accountLines(
  connection: Connection,
  rows: readonly AccountSettingsRow[],
  since: string,
  accountData: readonly AccountDataOwner[],
): AsyncGenerator<Lines> {
  const store = exportStore(connection);
  const states = await readStates(connection, rows);
  const ids = rows.map(({ id }) => id);
  const contents = await store.contents(ids, since);
  const names = rows.map(({ name }) => name);
  const ownData: { readonly owner: AccountDataOwner; readonly accounts: ReadonlySet<string> }[] = [];
  for (const owner of accountData)
    ownData.push({ owner, accounts: await owner.accountsWithRecords(connection, names) });
  for (const [index, { id, name }] of rows.entries()) {
    const [state, has] = [states[index], contents.get(id)];
    if (state) yield linesOf([{ line: JSON.stringify({ type: "account", ...documentOf(state) }) }]);
    if (has?.agents) yield linesOf(await store.agents(id));
    if (has?.uploads) for await (const uploads of store.uploads(id, since)) yield linesOf(uploads);
    if (has?.users) for await (const users of store.users(id, since)) yield linesOf(users);
    if (has?.conversations)
      for await (const conversations of store.conversations(id, since)) {
        yield linesOf(conversations);
        const conversationIds = conversations.map((conversation) => conversation.id);
        for await (const messages of store.messages(conversationIds, since)) yield linesOf(messages);
      }
    if (has?.csats) for await (const ratings of store.csats(id, since)) yield linesOf(ratings);
    for (const { owner, accounts } of ownData)
      if (accounts.has(name))
        for await (const records of owner.exportRecords(connection, name))
          yield linesOf(records.map((line) => ({ line })));
  }
}

/**
 * Opens an export of a snapshot: later commits are not in it.
 * @errors ACCOUNT_NOT_FOUND
 * @assumed With a start time, the account and its agents are exported completely; the records of its apps too;
 * of the rest, the records that were created or changed since.
 * Metrics, events, tokens and subscriptions are not exported; a backup contains them.
 */
export async function openExportLines({
  database,
  account,
  since,
  accountData = [],
  opened,
  progress,
}: ExportOptions): Promise<AsyncGenerator<string>> {
  const connection = await database.connect(SERVICE_SCHEMA);
  const store = exportStore(connection);
  const from = since === undefined ? "-infinity" : instantOf.ceil(since);
  let rows: AccountSettingsRow[];
  try {
    await store.begin();
    rows = await store.accounts(account);
    if (account !== undefined && rows.length === 0) refuse(ACCOUNT_NOT_FOUND);
    await opened?.(rows);
  } catch (error) {
    await connection.close();
    throw error;
  }

  async function* lines(): AsyncGenerator<string> {
    let records = 0;
    try {
      for (let at = 0; at < rows.length; at += ACCOUNTS_PAGE_SIZE)
        for await (const page of accountLines(connection, rows.slice(at, at + ACCOUNTS_PAGE_SIZE), from, accountData)) {
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
