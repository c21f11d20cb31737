import { statement, type Pool } from "@parley/database";
import { SECURE_IPARAMS, type InstallationState } from "@parley/contract";
import { addChangeReport, type ChangeReport } from "../identity/change-reports.sql.ts";
import type { RecordOwner } from "./records.sql.ts";

export interface ConsentRow {
  readonly subject: string;
  readonly state: "asked" | "given" | "revoked";
  readonly changed_time: Date;
}

const LIST_CONSENTS = statement(
  "list_consents",
  "select subject, state, changed_time from consents where project = $1 and account = $2 order by subject",
);
const PUT_CONSENT = statement(
  "put_consent",
  `insert into consents (project, account, subject, state, changed_time) values ($1, $2, $3, $4, $5)
   on conflict (project, account, subject) do update set state = excluded.state, changed_time = excluded.changed_time
     where consents.state <> excluded.state`,
);
/** A decision is never overwritten, and the number of requested hosts is limited. */
const ASK = statement(
  "ask_consent",
  `insert into consents (project, account, subject, state, changed_time)
   select $1, $2, $3, 'asked', $4
    where (select count(*) from consents where project = $1 and account = $2 and state = 'asked') < $5
   on conflict do nothing`,
);
/** SQL condition on a row with the columns `project` and `account`: whether the consent is given. */
const isConsentGiven = (table: string, subject: string): string =>
  `exists (select from consents
            where consents.project = ${table}.project and consents.account = ${table}.account
              and subject = '${subject}' and consents.state = 'given')`;

/** Rows of the table `consents`. */
export const consentStore = (db: Pool) => ({
  list: ({ project, account }: RecordOwner) => db.rows<ConsentRow>(LIST_CONSENTS, [project, account]),
  put: (
    { project, account }: RecordOwner,
    { subject, state }: Pick<ConsentRow, "subject" | "state">,
    now: Date,
    report?: ChangeReport,
  ) =>
    db.transaction(async (tx) => {
      await tx.rows(PUT_CONSENT, [project, account, subject, state, now]);
      if (report) await addChangeReport(tx, report, now);
    }),
  /** @shape most: maximum number of requested hosts */
  ask: async ({ project, account }: RecordOwner, subject: string, now: Date, most: number) => {
    await db.rows(ASK, [project, account, subject, now, most]);
  },
});
export type ConsentStore = ReturnType<typeof consentStore>;

interface AppSettingRow {
  readonly key: string;
  readonly sealed: string;
}

/** A value that was stored before the app was installed, without an account, counts until it is set for the account. */
const LIST = statement(
  "list_app_settings",
  `select distinct on (key) key, sealed from app_settings where project = $1 and account in ($2, '')
   order by key, account desc`,
);
const PUT = statement(
  "put_app_setting",
  `insert into app_settings (project, account, key, sealed, changed_time) values ($1, $2, $3, $4, $5)
   on conflict (project, account, key) do update set sealed = excluded.sealed, changed_time = excluded.changed_time`,
);
const REMOVE = statement(
  "remove_app_setting",
  "delete from app_settings where project = $1 and account in ($2, '') and key = any ($3)",
);

/** Rows of the table `app_settings`. */
export const appSettingStore = (pool: Pool) => ({
  list: ({ project, account }: RecordOwner) => pool.rows<AppSettingRow>(LIST, [project, account]),
  /** In one transaction. @shape sealed: by key */
  save: (
    { project, account }: RecordOwner,
    sealed: Readonly<Record<string, string>>,
    removed: readonly string[],
    now: Date,
    report?: ChangeReport,
  ) =>
    pool.transaction(async (tx) => {
      await tx.rows(REMOVE, [project, account, removed]);
      for (const [key, text] of Object.entries(sealed)) await tx.rows(PUT, [project, account, key, text, now]);
      if (report) await addChangeReport(tx, report, now);
    }),
});
export type AppSettingStore = ReturnType<typeof appSettingStore>;

/** A row of `installations`; `given` is JSON text. */
export interface InstallationRow {
  readonly id: string;
  readonly account: string;
  readonly domain: string;
  readonly given: string;
  readonly secure: Readonly<Record<string, string>>;
  readonly version: number;
  readonly reads_secure: boolean;
  /** Null for an app that is read from a folder. */
  readonly app_version: string | null;
  readonly state: InstallationState;
}

/** The apps of a closed account are paused, until it is reopened or deleted. */
const STATE = `case when exists (select from closed_accounts where closed_accounts.account = installations.account)
  then 'paused' else state end as state`;
const COLUMNS = `id, account, domain, given, secure, version, app_version, ${STATE}, ${isConsentGiven("installations", SECURE_IPARAMS)} as reads_secure`;

const FIND = statement("find_installation", `select ${COLUMNS} from installations where project = $1 and account = $2`);
const FIND_FOR_UPDATE = statement(
  "find_installation_for_update",
  `select ${COLUMNS} from installations where project = $1 and account = $2 for update`,
);
/** Serializes saves of an installation that does not exist yet, which has no row to lock. */
const LOCK_OWNER = statement(
  "lock_installation",
  "select pg_advisory_xact_lock(hashtext('parley.installation'), hashtext($1 || '/' || $2))",
);
const INSERT = statement(
  "insert_installation",
  `insert into installations (id, project, account, domain, given, secure, version, app_version, created_time, updated_time)
   values ($1, $2, $3, $4, $5, $6, 1, $8, $7, $7)
   returning ${COLUMNS}`,
);
const UPDATE = statement(
  "update_installation",
  `update installations
   set domain = $2, given = $3, secure = (secure - $6::text[]) || $4, version = version + 1, updated_time = $5, app_version = $7,
       subscription = case when app_version is distinct from $7 then null else subscription end,
       -- A rollback returns to the last other version.
       previous = case when app_version is distinct from $7 and app_version is not null
                       then jsonb_build_object('version', app_version, 'given', given, 'secure', secure)
                       else previous end
   where id = $1
   returning ${COLUMNS}`,
);
const SECURE = statement("find_secure", "select secure from installations where id = $1");
const REMOVE_INSTALLATION = statement(
  "remove_installation",
  "delete from installations where id = $1 returning project, account",
);
/** Tables with what the app itself stored on an account. */
const DATA_TABLES = [
  "records",
  "schedules",
  "failed_schedules",
  "targets",
  "oauth_tokens",
  "entity_records",
  "entity_counters",
  "jobs",
];
/** Tables with further data of the installation. */
const INSTALLATION_TABLES = ["consents", "app_settings", "invocations"];

const removal = (table: string) =>
  statement(`remove_${table}`, `delete from ${table} where project = $1 and account = $2`);
const REMOVE_DATA = DATA_TABLES.map(removal);
const REMOVE_ALL = [...DATA_TABLES, ...INSTALLATION_TABLES].map(removal);

interface Change {
  readonly domain: string;
  readonly appVersion: string | null;
  readonly given: string;
  readonly secure: Readonly<Record<string, string>>;
  /** Keys whose secure values are removed. */
  readonly dropped: readonly string[];
  readonly now: Date;
  readonly report?: ChangeReport | undefined;
}

/** Rows of the table `installations`. */
export const installationStore = (pool: Pool) => ({
  find: ({ project, account }: RecordOwner) => pool.one<InstallationRow>(FIND, [project, account]),

  /** Calls `change` with the id that the row has or gets, so that sealed values can be bound to it. Saves of one owner are serialized. */
  save: ({ project, account }: RecordOwner, newId: string, change: (id: string) => Change) =>
    pool.transaction(async (tx) => {
      await tx.one(LOCK_OWNER, [project, account]);
      const before = await tx.one<InstallationRow>(FIND_FOR_UPDATE, [project, account]);
      const id = before?.id ?? newId;
      const { domain, appVersion, given, secure, dropped, now, report } = change(id);
      const sealed = JSON.stringify(secure);
      const row = before
        ? await tx.one<InstallationRow>(UPDATE, [id, domain, given, sealed, now, dropped, appVersion])
        : await tx.one<InstallationRow>(INSERT, [id, project, account, domain, given, sealed, now, appVersion]);
      if (report) await addChangeReport(tx, report, now);
      return row as InstallationRow;
    }),

  secure: async (id: string) => (await pool.one<Pick<InstallationRow, "secure">>(SECURE, [id]))?.secure ?? {},

  /** The app's data is removed with it. */
  remove: (id: string, now: Date, report?: ChangeReport) =>
    pool.transaction(async (tx) => {
      const removed = await tx.one<{ project: string; account: string }>(REMOVE_INSTALLATION, [id]);
      if (!removed) return;
      if (report) await addChangeReport(tx, report, now);
      for (const remove of REMOVE_ALL) await tx.rows(remove, [removed.project, removed.account]);
    }),

  forget: ({ project, account }: RecordOwner) =>
    pool.transaction(async (tx) => {
      for (const remove of REMOVE_DATA) await tx.rows(remove, [project, account]);
    }),
});
export type InstallationStore = ReturnType<typeof installationStore>;
