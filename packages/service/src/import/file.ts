import type { ImportProgress } from "@parley/contract";
import { migrate } from "@parley/database";
import { serviceConfig } from "../config.ts";
import { MIGRATIONS, SCHEMA } from "../db/migrations.ts";
import { openExport, type ExportOptions } from "../export/exporting.ts";
import { hostRules } from "../http/host.ts";
import { realPorts } from "../ports.ts";
import { importRecords } from "./importing.ts";
import type { ImportOptions } from "./run.ts";

/** An import without a service: beside one that runs, or while none does. */
export async function importFile(options: Omit<ImportOptions, "pool" | "ports" | "domain">): Promise<ImportProgress> {
  const { database } = options;
  await migrate(database, SCHEMA, MIGRATIONS);
  const pool = database.pool(SCHEMA, { max: 3, applicationName: "parley import" });
  try {
    return await importRecords({ ...options, pool, ports: realPorts, domain: hostRules(serviceConfig()).domain });
  } finally {
    await pool.end();
  }
}

/** An export without a service. @errors ACCOUNT_NOT_FOUND */
export async function exportLines(options: ExportOptions): Promise<AsyncGenerator<string>> {
  await migrate(options.database, SCHEMA, MIGRATIONS);
  return openExport(options);
}
