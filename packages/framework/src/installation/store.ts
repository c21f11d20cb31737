import { statement, type Db, type Pool } from "@parley/database";
import { SECURE_IPARAMS } from "@parley/contract";

export interface ConsentRow {
  readonly subject: string;
  readonly state: "asked" | "given" | "revoked";
  readonly changed_time: Date;
}

const LIST_CONSENTS = statement(
  "list_consents",
  "SELECT subject, state, changed_time FROM consents WHERE project = $1 ORDER BY subject",
);
const PUT_CONSENT = statement(
  "put_consent",
  `INSERT INTO consents (project, subject, state, changed_time) VALUES ($1, $2, $3, $4)
   ON CONFLICT (project, subject) DO UPDATE SET state = excluded.state, changed_time = excluded.changed_time
     WHERE consents.state <> excluded.state`,
);
/** A decision is never overwritten, and the number of requested hosts is limited. */
const ASK = statement(
  "ask_consent",
  `INSERT INTO consents (project, subject, state, changed_time)
   SELECT $1, $2, 'asked', $3 WHERE (SELECT count(*) FROM consents WHERE project = $1 AND state = 'asked') < $4
   ON CONFLICT DO NOTHING`,
);
const REMOVE_CONSENTS = statement("remove_consents", "DELETE FROM consents WHERE project = $1");

/** SQL condition on a row with the column `project`: whether the consent is given. */
const isConsentGiven = (table: string, subject: string): string =>
  `EXISTS (SELECT FROM consents WHERE consents.project = ${table}.project AND subject = '${subject}' AND state = 'given')`;

/** Rows of the table `consents`. */
export const consentStore = (db: Db) => ({
  list: (project: string) => db.rows<ConsentRow>(LIST_CONSENTS, [project]),
  put: async (project: string, subject: string, state: ConsentRow["state"], now: Date) => {
    await db.rows(PUT_CONSENT, [project, subject, state, now]);
  },
  /** @shape most: maximum number of requested hosts */
  ask: async (project: string, subject: string, now: Date, most: number) => {
    await db.rows(ASK, [project, subject, now, most]);
  },
});
export type ConsentStore = ReturnType<typeof consentStore>;

interface AppSettingRow {
  readonly key: string;
  readonly sealed: string;
}

const LIST = statement("list_app_settings", "SELECT key, sealed FROM app_settings WHERE project = $1 ORDER BY key");
const PUT = statement(
  "put_app_setting",
  `INSERT INTO app_settings (project, key, sealed, changed_time) VALUES ($1, $2, $3, $4)
   ON CONFLICT (project, key) DO UPDATE SET sealed = excluded.sealed, changed_time = excluded.changed_time`,
);
const REMOVE = statement("remove_app_setting", "DELETE FROM app_settings WHERE project = $1 AND key = ANY ($2)");
const REMOVE_APP_SETTINGS = statement("remove_app_settings", "DELETE FROM app_settings WHERE project = $1");

/** Rows of the table `app_settings`. */
export const appSettingStore = (pool: Pool) => ({
  list: (project: string) => pool.rows<AppSettingRow>(LIST, [project]),
  /** In one transaction. @shape sealed: by key */
  save: (project: string, sealed: Readonly<Record<string, string>>, removed: readonly string[], now: Date) =>
    pool.transaction(async (tx) => {
      await tx.rows(REMOVE, [project, removed]);
      for (const [key, text] of Object.entries(sealed)) await tx.rows(PUT, [project, key, text, now]);
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
}

const COLUMNS = `id, account, domain, given, secure, version, ${isConsentGiven("installations", SECURE_IPARAMS)} AS reads_secure`;

const FIND = statement(
  "find_installation",
  `SELECT ${COLUMNS} FROM installations WHERE project = $1 ORDER BY updated_time DESC LIMIT 1`,
);
const FIND_FOR_UPDATE = statement(
  "find_installation_for_update",
  `SELECT ${COLUMNS} FROM installations WHERE project = $1 ORDER BY updated_time DESC LIMIT 1 FOR UPDATE`,
);
const LOCK_PROJECT = statement(
  "lock_installations",
  "SELECT pg_advisory_xact_lock(hashtext('parley.installation'), hashtext($1))",
);
const INSERT = statement(
  "insert_installation",
  `INSERT INTO installations (id, project, account, domain, given, secure, version, created_time, updated_time)
   VALUES ($1, $2, $3, $4, $5, $6, 1, $7, $7)
   RETURNING ${COLUMNS}`,
);
const UPDATE = statement(
  "update_installation",
  `UPDATE installations
   SET account = $2, domain = $3, given = $4, secure = (secure - $7::text[]) || $5, version = version + 1, updated_time = $6
   WHERE id = $1
   RETURNING ${COLUMNS}`,
);
const SECURE = statement("find_secure", "SELECT secure FROM installations WHERE id = $1");
const REMOVE_INSTALLATION = statement(
  "remove_installation",
  "DELETE FROM installations WHERE id = $1 RETURNING project, account",
);
const ACCOUNT_TABLES = [
  "records",
  "schedules",
  "failed_schedules",
  "targets",
  "oauth_tokens",
  "entity_records",
  "entity_counters",
  "jobs",
].map((table) => statement(`remove_${table}`, `DELETE FROM ${table} WHERE project = $1 AND account = $2`));

interface Change {
  readonly account: string;
  readonly domain: string;
  readonly given: string;
  readonly secure: Readonly<Record<string, string>>;
  /** Keys whose secure values are removed. */
  readonly dropped: readonly string[];
  readonly now: Date;
}

/** Rows of the table `installations`. */
export const installationStore = (pool: Pool) => ({
  find: (project: string) => pool.one<InstallationRow>(FIND, [project]),

  /** Calls `change` with the id that the row has or gets, so that sealed values can be bound to it. Saves of one project are serialized. */
  save: (project: string, newId: string, change: (id: string) => Change) =>
    pool.transaction(async (tx: Db) => {
      await tx.one(LOCK_PROJECT, [project]);
      const before = await tx.one<InstallationRow>(FIND_FOR_UPDATE, [project]);
      const id = before?.id ?? newId;
      const { account, domain, given, secure, dropped, now } = change(id);
      const row = before
        ? await tx.one<InstallationRow>(UPDATE, [id, account, domain, given, JSON.stringify(secure), now, dropped])
        : await tx.one<InstallationRow>(INSERT, [id, project, account, domain, given, JSON.stringify(secure), now]);
      return row as InstallationRow;
    }),

  secure: async (id: string) => (await pool.one<Pick<InstallationRow, "secure">>(SECURE, [id]))?.secure ?? {},

  /** The app's data is removed with it. */
  remove: (id: string) =>
    pool.transaction(async (tx) => {
      const removed = await tx.one<{ project: string; account: string }>(REMOVE_INSTALLATION, [id]);
      if (!removed) return;
      await tx.rows(REMOVE_CONSENTS, [removed.project]);
      await tx.rows(REMOVE_APP_SETTINGS, [removed.project]);
      for (const remove of ACCOUNT_TABLES) await tx.rows(remove, [removed.project, removed.account]);
    }),

  forget: (project: string, account: string) =>
    pool.transaction(async (tx) => {
      for (const remove of ACCOUNT_TABLES) await tx.rows(remove, [project, account]);
    }),
});
export type InstallationStore = ReturnType<typeof installationStore>;
