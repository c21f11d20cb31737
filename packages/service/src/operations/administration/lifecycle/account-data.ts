import type { AppImportRecord, ExistingRecordPolicy } from "@parley/contract";
import type { Db } from "@parley/database";

/** Result of an import for a record. `skipped`: the app isn't available to the account. `conflict`: it exists with other content. */
type AccountRecordOutcome = "created" | "updated" | "unchanged" | "skipped" | "conflict";

/** Imports records of one account into another component's tables. */
export type AccountRecordImporter = (record: AppImportRecord) => Promise<AccountRecordOutcome>;

interface AccountImportOptions {
  readonly account: string;
  /** Host of the account. */
  readonly host: string;
  readonly present: ExistingRecordPolicy;
  readonly dryRun: boolean;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** Data of accounts in another component's tables in the same database. Accounts are known there by their names. */
export interface AccountDataOwner {
  /**
   * Deletes the account's rows in short steps, each committed on its own; called again after an interruption.
   * -> number of deleted rows
   */
  deleteRows(db: Db, account: string, signal: AbortSignal): Promise<number>;
  /**
   * Deletes the remaining data of the account; called in the transaction that deletes the account itself.
   */
  deleteRemainder(tx: Db, account: string): Promise<void>;
  /** Stops, or allows again, what runs for the account; called in the transaction that closes or reopens the account. */
  setClosed(tx: Db, account: string, isClosed: boolean): Promise<void>;
  /** -> those of the accounts that have records to export */
  accountsWithRecords(db: Db, accounts: readonly string[]): Promise<ReadonlySet<string>>;
  /** Reads the account's records for an export, in its snapshot. -> batches of JSON texts, one a record */
  exportRecords(db: Db, account: string): AsyncIterable<readonly string[]>;
  /** Opens an import of records of one account. */
  openImport(db: Db, options: AccountImportOptions): AccountRecordImporter;
}
