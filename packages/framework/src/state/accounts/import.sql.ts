import type { AppImportRecord, ExistingRecordPolicy, ImportedInstallation } from "@parley/contract";
import { statement, type Db, type Statement } from "@parley/database";

const HAS_APPS = statement("", "select to_regclass('parley_apps.app_versions') is not null as has_apps");
/** The version of a published app that is in the catalogue of an account: the wanted version, or the latest. */
const VERSION = statement(
  "import_app_version",
  `select v.version
     from parley_apps.apps a join parley_apps.app_versions v on v.app = a.name
    where a.name = $1 and (a.accounts is null or $2 = any (a.accounts))
    order by v.version = $3 desc, v.number desc
    limit 1`,
);
const INSTALLED = statement(
  "import_installed_app",
  "select 1 as found from parley_apps.installations where project = $1 and account = $2",
);
const ADD_INSTALLATION = statement(
  "import_installation",
  `insert into parley_apps.installations
     (id, project, account, domain, given, secure, version, created_time, updated_time, app_version, state, paused_time)
   values ($1, $2, $3, $4, $5, '{}', 1, $6, $7, $8, 'paused', $7)
   on conflict (project, account) do nothing returning id`,
);
const FIND_RECORD = statement(
  "import_find_record",
  `select value = $4 and expires_time is not distinct from $5::timestamptz as is_same
     from parley_apps.records where project = $1 and account = $2 and key = $3`,
);
const PUT_RECORD = statement(
  "import_put_record",
  `insert into parley_apps.records (project, account, key, value, expires_time) values ($1, $2, $3, $4, $5)
   on conflict (project, account, key) do update set value = excluded.value, expires_time = excluded.expires_time`,
);
const FIND_ENTITY = statement(
  "import_find_entity",
  `select value = $5::jsonb and created_time = $6 and updated_time = $7 as is_same
     from parley_apps.entity_records where project = $1 and account = $2 and entity = $3 and number = $4`,
);
/** The next number of the entity comes after the imported numbers. */
const PUT_ENTITY = statement(
  "import_put_entity",
  `with counted as (
     insert into parley_apps.entity_counters (project, account, entity, last) values ($1, $2, $3, $4)
     on conflict (project, account, entity) do update set last = greatest(entity_counters.last, excluded.last)
   )
   insert into parley_apps.entity_records (project, account, entity, number, value, created_time, updated_time)
   values ($1, $2, $3, $4, $5::jsonb, $6, $7)
   on conflict (project, account, entity, number)
   do update set value = excluded.value, created_time = excluded.created_time, updated_time = excluded.updated_time`,
);
const FIND_SCHEDULE = statement(
  "import_find_schedule",
  `select data = $4 and schedule_at = $5 and time_unit is not distinct from $6 and frequency is not distinct from $7::int
          and due_time is not distinct from $8::timestamptz and created_time = $9 as is_same
     from parley_apps.schedules where project = $1 and account = $2 and name = $3`,
);
const PUT_SCHEDULE = statement(
  "import_put_schedule",
  `insert into parley_apps.schedules
     (project, account, name, data, schedule_at, time_unit, frequency, due_time, created_time, updated_time)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
   on conflict (project, account, name)
   do update set data = excluded.data, schedule_at = excluded.schedule_at, time_unit = excluded.time_unit,
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
