import type { AppImportRecord, ExistingRecordPolicy, ImportedInstallation } from "@parley/contract";
import { statement, type Db, type Statement } from "@parley/database";

const HAS_APPS = statement("", "SELECT to_regclass('parley_apps.app_versions') IS NOT NULL AS has_apps");
/** The version of a published app that is in the catalogue of an account: the wanted one, or the latest. */
const VERSION = statement(
  "import_app_version",
  `SELECT v.version
     FROM parley_apps.apps a JOIN parley_apps.app_versions v ON v.app = a.name
    WHERE a.name = $1 AND (a.accounts IS NULL OR $2 = ANY (a.accounts))
    ORDER BY v.version = $3 DESC, v.number DESC
    LIMIT 1`,
);
const INSTALLED = statement(
  "import_installed_app",
  "SELECT 1 AS found FROM parley_apps.installations WHERE project = $1 AND account = $2",
);
const ADD_INSTALLATION = statement(
  "import_installation",
  `INSERT INTO parley_apps.installations
     (id, project, account, domain, given, secure, version, created_time, updated_time, app_version, state, paused_time)
   VALUES ($1, $2, $3, $4, $5, '{}', 1, $6, $7, $8, 'paused', $7)
   ON CONFLICT (project, account) DO NOTHING RETURNING id`,
);
const FIND_RECORD = statement(
  "import_find_record",
  `SELECT value = $4 AND expires_time IS NOT DISTINCT FROM $5::timestamptz AS is_same
     FROM parley_apps.records WHERE project = $1 AND account = $2 AND key = $3`,
);
const PUT_RECORD = statement(
  "import_put_record",
  `INSERT INTO parley_apps.records (project, account, key, value, expires_time) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (project, account, key) DO UPDATE SET value = excluded.value, expires_time = excluded.expires_time`,
);
const FIND_ENTITY = statement(
  "import_find_entity",
  `SELECT value = $5::jsonb AND created_time = $6 AND updated_time = $7 AS is_same
     FROM parley_apps.entity_records WHERE project = $1 AND account = $2 AND entity = $3 AND number = $4`,
);
/** The next number of the entity comes after the imported ones. */
const PUT_ENTITY = statement(
  "import_put_entity",
  `WITH counted AS (
     INSERT INTO parley_apps.entity_counters (project, account, entity, last) VALUES ($1, $2, $3, $4)
     ON CONFLICT (project, account, entity) DO UPDATE SET last = greatest(entity_counters.last, excluded.last)
   )
   INSERT INTO parley_apps.entity_records (project, account, entity, number, value, created_time, updated_time)
   VALUES ($1, $2, $3, $4, $5::jsonb, $6, $7)
   ON CONFLICT (project, account, entity, number)
   DO UPDATE SET value = excluded.value, created_time = excluded.created_time, updated_time = excluded.updated_time`,
);
const FIND_SCHEDULE = statement(
  "import_find_schedule",
  `SELECT data = $4 AND schedule_at = $5 AND time_unit IS NOT DISTINCT FROM $6 AND frequency IS NOT DISTINCT FROM $7::int
          AND due_time IS NOT DISTINCT FROM $8::timestamptz AND created_time = $9 AS is_same
     FROM parley_apps.schedules WHERE project = $1 AND account = $2 AND name = $3`,
);
const PUT_SCHEDULE = statement(
  "import_put_schedule",
  `INSERT INTO parley_apps.schedules
     (project, account, name, data, schedule_at, time_unit, frequency, due_time, created_time, updated_time)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
   ON CONFLICT (project, account, name)
   DO UPDATE SET data = excluded.data, schedule_at = excluded.schedule_at, time_unit = excluded.time_unit,
     frequency = excluded.frequency, due_time = excluded.due_time, created_time = excluded.created_time,
     updated_time = excluded.updated_time`,
);

type AppRecordOutcome = "created" | "updated" | "unchanged" | "skipped" | "conflict";
type AppDataRecord = Exclude<AppImportRecord, ImportedInstallation>;

interface AppImportOptions {
  readonly account: string;
  /** Host of the account. */
  readonly host: string;
  readonly present: ExistingRecordPolicy;
  readonly dryRun: boolean;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** The statements that compare and store a record, with their values. */
const statementsOf = (
  record: AppDataRecord,
  account: string,
): { readonly find: Statement; readonly put: Statement; readonly values: readonly unknown[] } => {
  switch (record.type) {
    case "app_record": {
      const values = [record.app, account, record.key, JSON.stringify(record.value), record.expires_time ?? null];
      return { find: FIND_RECORD, put: PUT_RECORD, values };
    }
    case "app_entity": {
      const { app, entity, number, value, created_time, updated_time } = record;
      const values = [app, account, entity, number, JSON.stringify(value), created_time, updated_time];
      return { find: FIND_ENTITY, put: PUT_ENTITY, values };
    }
    case "app_schedule": {
      const { app, name, data, schedule_at, repeat, due_time, created_time } = record;
      const times = [schedule_at, repeat?.time_unit ?? null, repeat?.frequency ?? null, due_time ?? null, created_time];
      return { find: FIND_SCHEDULE, put: PUT_SCHEDULE, values: [app, account, name, JSON.stringify(data), ...times] };
    }
  }
};

/**
 * Imports records of the apps of one account. An installation comes back as paused and without secure values, if its app is published for
 * the account; an existing installation stays as it is. The data of an app that is not installed is skipped.
 */
export const openAppImport = (
  db: Db,
  options: AppImportOptions,
): ((record: AppImportRecord) => Promise<AppRecordOutcome>) => {
  const { account, host, present, dryRun, now, newId } = options;
  /** Installations that a dry run would add. */
  const planned = new Set<string>();
  let hasApps: Promise<boolean> | undefined;
  const isMigrated = () =>
    (hasApps ??= db.one<{ has_apps: boolean }>(HAS_APPS, []).then((row) => row?.has_apps ?? false));

  const isInstalled = async (app: string): Promise<boolean> =>
    planned.has(app) || (await db.one(INSTALLED, [app, account])) !== undefined;

  const importInstallation = async (record: ImportedInstallation): Promise<AppRecordOutcome> => {
    const { app, parameters, created_time } = record;
    if (await isInstalled(app)) return "unchanged";
    const found = await db.one<{ version: string }>(VERSION, [app, account, record.version ?? ""]);
    if (!found) return "skipped";
    if (dryRun) {
      planned.add(app);
      return "created";
    }
    const given = JSON.stringify(parameters);
    const added = await db.one(ADD_INSTALLATION, [
      newId(),
      app,
      account,
      host,
      given,
      created_time,
      now(),
      found.version,
    ]);
    return added ? "created" : "unchanged";
  };

  const importData = async (record: AppDataRecord): Promise<AppRecordOutcome> => {
    if (!(await isInstalled(record.app))) return "skipped";
    const { find, put, values } = statementsOf(record, account);
    const found = await db.one<{ is_same: boolean }>(find, values);
    if (found?.is_same || (found && present === "keep")) return "unchanged";
    if (found && present === "refuse") return "conflict";
    if (!dryRun) await db.rows(put, values);
    return found ? "updated" : "created";
  };

  return async (record) => {
    if (!(await isMigrated())) return "skipped";
    return record.type === "installation" ? importInstallation(record) : importData(record);
  };
};
