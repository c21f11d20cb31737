import { statement, type Db, type Pool } from "@parley/database";
import type { AppDeclaration } from "@parley/contract";

/** A row of `app_versions` without its files. */
export interface AppVersionRow {
  readonly version: string;
  /** Order of publication. */
  readonly number: number;
  readonly digest: string;
  readonly declaration: AppDeclaration;
  readonly published_time: Date;
}

/** A version with its code. @shape project: as returned by `projectJson` */
export interface AppVersionCodeRow extends AppVersionRow {
  readonly project: string;
}

/** One version of a published app in a list; declaration and icon are those of the app's newest version. */
export interface ListedVersionRow {
  readonly name: string;
  /** Accounts whose catalogue has the app; null: all. */
  readonly accounts: readonly string[] | null;
  readonly version: string;
  readonly digest: string;
  readonly published_time: Date;
  readonly permissions: AppDeclaration["permissions"];
  readonly undecided: AppDeclaration["undecided"];
  readonly declaration: AppDeclaration | null;
  readonly icon: string | null;
  readonly installations: number;
}

export interface NewAppVersion {
  readonly version: string;
  readonly digest: string;
  readonly files: Uint8Array;
  readonly project: string;
  readonly declaration: AppDeclaration;
  readonly icon: string | undefined;
}

/** A change of the catalogue for the audit log. */
export interface CatalogueReport {
  readonly action: "app.publish" | "app.offer";
  readonly app: string;
  readonly members: readonly string[];
  /** IP address of the client. */
  readonly address?: string | undefined;
}

const VERSION_COLUMNS = "version, number, digest, declaration, published_time";

/** Creates the app, or locks its row until the transaction ends, so that publications of one app follow each other. */
const LOCK_APP = statement(
  "lock_published_app",
  `INSERT INTO apps (name, accounts, created_time) VALUES ($1, $2, $3)
   ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING xmax = 0 AS is_new`,
);
const FIND_VERSION = statement(
  "find_app_version",
  `SELECT ${VERSION_COLUMNS} FROM app_versions WHERE app = $1 AND version = $2`,
);
const FIND_CODE = statement(
  "find_app_version_code",
  `SELECT ${VERSION_COLUMNS}, project FROM app_versions WHERE app = $1 AND version = $2`,
);
const FIND_FILES = statement(
  "find_app_version_files",
  "SELECT files FROM app_versions WHERE app = $1 AND version = $2",
);
const LIST_VERSIONS = statement(
  "list_app_versions",
  `SELECT ${VERSION_COLUMNS} FROM app_versions WHERE app = $1 ORDER BY number DESC`,
);
const NEWEST_VERSION = statement(
  "newest_app_version",
  `SELECT version FROM app_versions JOIN apps ON apps.name = app_versions.app
   WHERE app = $1 AND (apps.accounts IS NULL OR $2 = ANY (apps.accounts))
   ORDER BY number DESC LIMIT 1`,
);
const INSERT_VERSION = statement(
  "insert_app_version",
  `INSERT INTO app_versions (app, version, number, digest, files, project, declaration, icon, published_time)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const SET_ACCOUNTS = statement(
  "set_app_accounts",
  "UPDATE apps SET accounts = $2 WHERE name = $1 AND accounts IS DISTINCT FROM $2::text[] RETURNING name",
);
const FIND_APP = statement("find_published_app", "SELECT name FROM apps WHERE name = $1");
const INSERT_REPORT = statement(
  "insert_catalogue_report",
  "INSERT INTO change_reports (id, account, body, created_time) VALUES ($1, NULL, $2, $3)",
);
const LIST_DIGESTS = statement("list_package_digests", "SELECT DISTINCT digest FROM app_versions");

const IS_NEWEST = "number = max(number) OVER (PARTITION BY app)";
const LISTED_COLUMNS = `apps.name, apps.accounts, version, digest, published_time,
  declaration -> 'permissions' AS permissions, declaration -> 'undecided' AS undecided,
  CASE WHEN ${IS_NEWEST} THEN declaration END AS declaration, CASE WHEN ${IS_NEWEST} THEN icon END AS icon`;
const LIST_APPS = statement(
  "list_published_apps",
  `SELECT ${LISTED_COLUMNS},
     (SELECT count(*)::int FROM installations WHERE project = apps.name AND app_version IS NOT NULL) AS installations
   FROM apps JOIN app_versions ON app_versions.app = apps.name
   WHERE $1::text IS NULL OR apps.name = $1
   ORDER BY apps.name, number DESC`,
);
const LIST_CATALOGUE = statement(
  "list_catalogue",
  `SELECT ${LISTED_COLUMNS}, 0 AS installations
   FROM apps JOIN app_versions ON app_versions.app = apps.name
   WHERE apps.accounts IS NULL OR $1 = ANY (apps.accounts)
   ORDER BY apps.name, number DESC`,
);

/** Removes what `jsonb` refuses: NUL and unpaired surrogates. Other control characters have no use in a declaration. */
const jsonbText = (value: object): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "string" ? Buffer.from(member.replace(/\p{Cc}/gu, " ")).toString() : member,
  );

/** Statements of one transaction. */
const changesOf = (tx: Db) => ({
  /** @shape accounts: of a new app -> whether the app is new */
  lockApp: async (name: string, accounts: readonly string[] | null, now: Date) =>
    (await tx.one<{ is_new: boolean }>(LOCK_APP, [name, accounts, now]))?.is_new ?? false,
  isPublished: async (name: string) => (await tx.one(FIND_APP, [name])) !== undefined,
  /** Newest first. */
  versions: (app: string) => tx.rows<AppVersionRow>(LIST_VERSIONS, [app]),
  insertVersion: async (app: string, number: number, added: NewAppVersion, now: Date) => {
    const { version, digest, files, project, declaration, icon } = added;
    const values = [app, version, number, digest, Buffer.from(files), project, jsonbText(declaration), icon, now];
    await tx.rows(INSERT_VERSION, values);
  },
  /** -> whether the accounts differed */
  setAccounts: async (name: string, accounts: readonly string[] | null) =>
    (await tx.one(SET_ACCOUNTS, [name, accounts])) !== undefined,
  report: async (id: string, report: CatalogueReport, now: Date) => {
    await tx.rows(INSERT_REPORT, [id, jsonbText(report), now]);
  },
});
export type PackageChanges = ReturnType<typeof changesOf>;

/** Rows of the tables `apps` and `app_versions`. */
export const packageStore = (pool: Pool) => ({
  change: <T>(work: (changes: PackageChanges) => Promise<T>): Promise<T> =>
    pool.transaction((tx) => work(changesOf(tx))),
  version: (app: string, version: string) => pool.one<AppVersionRow>(FIND_VERSION, [app, version]),
  versionWithCode: (app: string, version: string) => pool.one<AppVersionCodeRow>(FIND_CODE, [app, version]),
  /** Archive of the files of a version. */
  files: async (app: string, version: string): Promise<Uint8Array | undefined> =>
    (await pool.one<{ files: Buffer }>(FIND_FILES, [app, version]))?.files,
  /** Newest first. */
  versions: (app: string) => pool.rows<AppVersionRow>(LIST_VERSIONS, [app]),
  /** Newest version that an account can install; undefined if its catalogue does not have the app. */
  newestVersion: async (app: string, account: string): Promise<string | undefined> =>
    (await pool.one<{ version: string }>(NEWEST_VERSION, [app, account]))?.version,
  /** All versions of an app, or of all apps: by name, newest version first. */
  listed: (name?: string) => pool.rows<ListedVersionRow>(LIST_APPS, [name ?? null]),
  /** Versions of the apps that an account can install: by name, newest version first. */
  catalogue: (account: string) => pool.rows<ListedVersionRow>(LIST_CATALOGUE, [account]),
  digests: async (): Promise<ReadonlySet<string>> =>
    new Set((await pool.rows<{ digest: string }>(LIST_DIGESTS, [])).map(({ digest }) => digest)),
});
export type PackageStore = ReturnType<typeof packageStore>;
