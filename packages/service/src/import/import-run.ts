import type { ImportProgress, ExistingRecordPolicy } from "@parley/contract";
import type { Connection, Database, Pool } from "@parley/database";
import type { Ports } from "../environment/ports.ts";

export interface ImportOptions {
  readonly database: Database;
  readonly pool: Pool;
  readonly ports: Ports;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Lines of records. */
  readonly source: AsyncIterable<Uint8Array>;
  /** Whose records these are, whatever the account records say. */
  readonly account?: string | undefined;
  /** refuse when absent. */
  readonly present?: ExistingRecordPolicy | undefined;
  readonly dryRun?: boolean | undefined;
  /** Ends the import behind the batch under way. */
  readonly signal?: AbortSignal | undefined;
  /** Hears of every batch once it is committed, and of every line that is refused. */
  readonly progress?: ((progress: ImportProgress) => void) | undefined;
}

/** An import with its connection. */
export interface ImportRun extends ImportOptions {
  readonly connection: Connection;
  readonly present: ExistingRecordPolicy;
  readonly dryRun: boolean;
}
