import type { ImportProgress } from "@parley/contract";
import { migrate } from "@parley/database";
import { serviceConfig } from "../configuration/config.ts";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../db/migrations.ts";
import { openExportLines, type ExportOptions } from "../export/export-lines.ts";
import { hostRules } from "../edge/host.ts";
import { realPorts } from "../environment/ports.ts";
import { importRecords } from "./import-lines.ts";
import type { ImportOptions } from "./import-run.ts";

/** Imports without a service. A service may run on the same database. */
export async function importFile(options: Omit<ImportOptions, "pool" | "ports" | "domain">): Promise<ImportProgress> {
  const { database } = options;
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  const pool = database.pool(SERVICE_SCHEMA, { max: 3, applicationName: "parley import" });
  try {
    return await importRecords({ ...options, pool, ports: realPorts, domain: hostRules(serviceConfig()).domain });
  } finally {
    await pool.end();
  }
}

/** Exports without a service. @errors ACCOUNT_NOT_FOUND */
export async function exportLines(options: ExportOptions): Promise<AsyncGenerator<string>> {
  await migrate(options.database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  return openExportLines(options);
}
