import type { ImportProgress, ExistingRecordPolicy } from "@parley/contract";
import type { Connection, Database, Pool } from "@parley/database";
import type { AccountDataOwner } from "../../administration/lifecycle/account-data.ts";
import type { AuditActor } from "../../../identity/audit/record.sql.ts";
import type { Ports } from "../../../base/environment/ports.ts";

export interface ImportOptions {
  readonly database: Database;
  readonly pool: Pool;
  readonly ports: Ports;
  /** Actor of an import, as the audit log records it. */
  readonly actor: AuditActor;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Lines of records, in chunks. */
  readonly source: AsyncIterable<Uint8Array>;
  /** The account of the records, whatever name the account records contain. */
  readonly account?: string | undefined;
  /** `refuse` when absent. */
  readonly present?: ExistingRecordPolicy | undefined;
  readonly dryRun?: boolean | undefined;
  /** Imports records of apps; without it they are skipped. */
  readonly accountData?: readonly AccountDataOwner[] | undefined;
  /** Ends the import after the current batch. */
  readonly signal?: AbortSignal | undefined;
  /** Called after the commit of each batch and for each refused line. */
  readonly progress?: ((progress: ImportProgress) => void) | undefined;
}

/** An import with its connection and resolved options. */
export interface ImportRun extends ImportOptions {
  readonly connection: Connection;
  readonly present: ExistingRecordPolicy;
  readonly dryRun: boolean;
}
