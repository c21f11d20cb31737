import { statement, type Pool, type Transaction } from "@parley/database";
import type { AppDeclaration } from "@parley/contract";
import { addChangeReport, type ChangeReport } from "../identity/change-reports.sql.ts";

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
interface AppVersionCodeRow extends AppVersionRow {
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

interface NewAppVersion {
  readonly version: string;
  readonly digest: string;
  readonly files: Uint8Array;
  readonly project: string;
  readonly declaration: AppDeclaration;
  readonly icon: string | undefined;
}

const VERSION_COLUMNS = "version, number, digest, declaration, published_time";

/** Creates the app, or locks its row until the transaction ends, so that publications of one app follow each other. */
const LOCK_APP = statement(
  "lock_published_app",
  `insert into apps (name, accounts, created_time) values ($1, $2, $3)
   on conflict (name) do update set name = excluded.name returning xmax = 0 as is_new`,
);
const FIND_VERSION = statement(
  "find_app_version",
  `select ${VERSION_COLUMNS} from app_versions where app = $1 and version = $2`,
);
const FIND_CODE = statement(
  "find_app_version_code",
  `select ${VERSION_COLUMNS}, project from app_versions where app = $1 and version = $2`,
);
const FIND_FILES = statement(
  "find_app_version_files",
  "select files from app_versions where app = $1 and version = $2",
);
const LIST_VERSIONS = statement(
  "list_app_versions",
  `select ${VERSION_COLUMNS} from app_versions where app = $1 order by number desc`,
);
const NEWEST_VERSION = statement(
  "newest_app_version",
  `select version from app_versions join apps on apps.name = app_versions.app
   where app = $1 and (apps.accounts is null or $2 = any (apps.accounts))
   order by number desc limit 1`,
);
const INSERT_VERSION = statement(
  "insert_app_version",
  `insert into app_versions (app, version, number, digest, files, project, declaration, icon, published_time)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);
const SET_ACCOUNTS = statement(
  "set_app_accounts",
  "update apps set accounts = $2 where name = $1 and accounts is distinct from $2::text[] returning name",
);
const FIND_APP = statement("find_published_app", "select name from apps where name = $1");
const LIST_DIGESTS = statement("list_package_digests", "select distinct digest from app_versions");

const IS_NEWEST = "number = max(number) over (partition by app)";
const LISTED_COLUMNS = `apps.name, apps.accounts, version, digest, published_time,
  declaration -> 'permissions' as permissions, declaration -> 'undecided' as undecided,
  case when ${IS_NEWEST} then declaration end as declaration, case when ${IS_NEWEST} then icon end as icon`;
const LIST_APPS = statement(
  "list_published_apps",
  `select ${LISTED_COLUMNS},
     (select count(*)::int from installations where project = apps.name and app_version is not null) as installations
   from apps join app_versions on app_versions.app = apps.name
   where $1::text is null or apps.name = $1
   order by apps.name, number desc`,
);
const LIST_CATALOGUE = statement(
  "list_catalogue",
  `select ${LISTED_COLUMNS}, 0 as installations
   from apps join app_versions on app_versions.app = apps.name
   where apps.accounts is null or $1 = any (apps.accounts)
   order by apps.name, number desc`,
);

/** Removes what `jsonb` refuses: NUL and unpaired surrogates. Other control characters have no use in a declaration. */
const jsonbText = (value: object): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "string" ? Buffer.from(member.replace(/\p{Cc}/gu, " ")).toString() : member,
  );

/** Statements of one transaction. */
const changesOf = (tx: Transaction) => ({
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
  report: (report: Omit<ChangeReport, "account">, now: Date) => addChangeReport(tx, { ...report, account: null }, now),
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
