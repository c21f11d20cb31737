import { statement, type Pool } from "@parley/database";
import type { InstallationState } from "@parley/contract";
import { addChangeReport, type ChangeReport } from "../../identity/change-reports.sql.ts";
import type { RecordOwner } from "../../state/records.sql.ts";

export interface InstalledVersion {
  readonly version: string;
}

/** An installation of a published app. */
export interface PublishedInstallation {
  readonly id: string;
  readonly project: string;
  readonly account: string;
  readonly version: string;
  readonly state: InstallationState;
  readonly paused_time: Date | null;
  readonly previous_version: string | null;
  readonly created_time: Date;
  readonly updated_time: Date;
  readonly is_running: boolean;
  /** The last settings of its subscription that the service has confirmed, as JSON; null: none, or they have to be sent again. */
  readonly subscription: string | null;
}

const COLUMNS = `installations.id, project, account, app_version AS version, state, paused_time,
  previous ->> 'version' AS previous_version, created_time, updated_time, subscription,
  EXISTS (SELECT FROM installation_leases JOIN platform_processes ON platform_processes.id = process_id
           WHERE installation_id = installations.id AND expires_time > clock_timestamp()) AS is_running`;

const VERSIONS = statement(
  "installed_versions",
  `SELECT app_version AS version
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (project, account, place)
     LEFT JOIN installations USING (project, account)
    ORDER BY place`,
);
const BY_ID = statement(
  "installed_by_id",
  `SELECT project, account, app_version AS version
     FROM unnest($1::uuid[]) WITH ORDINALITY AS asked (id, place)
     LEFT JOIN installations USING (id)
    ORDER BY place`,
);
const OF_TARGET = statement("owner_of_target", "SELECT project, account FROM targets WHERE hash = $1");
const FIND = statement(
  "find_published_installation",
  `SELECT ${COLUMNS} FROM installations WHERE project = $1 AND account = $2 AND app_version IS NOT NULL`,
);
const OF_ACCOUNT = statement(
  "installations_of_account",
  `SELECT ${COLUMNS} FROM installations WHERE account = $1 AND app_version IS NOT NULL ORDER BY project`,
);
const ALL = statement(
  "all_published_installations",
  `SELECT ${COLUMNS} FROM installations WHERE app_version IS NOT NULL ORDER BY account, project`,
);
const SET_STATE = statement(
  "set_installation_state",
  `UPDATE installations
      SET state = $2, paused_time = CASE WHEN $2 = 'paused' THEN coalesce(paused_time, $3) END, subscription = NULL
    WHERE id = $1 AND state <> $2 RETURNING id`,
);
const ROLL_BACK = statement(
  "roll_installation_back",
  `UPDATE installations
      SET app_version = previous ->> 'version', given = previous ->> 'given', secure = previous -> 'secure', previous = NULL,
          version = version + 1, updated_time = $2, subscription = NULL
    WHERE id = $1 AND previous IS NOT NULL RETURNING id`,
);
const PREVIOUS = statement("previous_of_installation", "SELECT previous FROM installations WHERE id = $1");
const CONFIRM = statement("confirm_subscription", "UPDATE installations SET subscription = $2 WHERE id = $1");

/** Version and parameters before the last upgrade. @shape given: JSON text; secure: sealed values by key */
export interface PreviousInstallation {
  readonly version: string;
  readonly given: string;
  readonly secure: Readonly<Record<string, string>>;
}

const LOCK = statement(
  "lock_installation_change",
  "SELECT pg_advisory_xact_lock(hashtext('parley.installation-change'), hashtext($1 || '/' || $2))",
);

/**
 * Rows of the table `installations` that belong to published apps. @shape locks: a pool of its own, whose connections are held for as long as
 * changes of installations take, which need connections of the other pool meanwhile
 */
export const publishedInstallationStore = (pool: Pool, locks: Pool) => ({
  /** Runs a change of an installation after the earlier ones, in all processes. */
  inTurn: <T>({ project, account }: RecordOwner, work: () => Promise<T>): Promise<T> =>
    locks.transaction(async (tx) => {
      await tx.one(LOCK, [project, account]);
      return work();
    }),
  /** -> in the order of the owners; undefined where the app is not installed as a published one */
  versions: async (owners: readonly RecordOwner[]): Promise<(InstalledVersion | undefined)[]> => {
    const rows = await pool.rows<{ version: string | null }>(VERSIONS, [
      owners.map(({ project }) => project),
      owners.map(({ account }) => account),
    ]);
    return rows.map(({ version }) => (version === null ? undefined : { version }));
  },
  /** -> in the order of the ids; undefined where no published app is installed */
  byId: async (ids: readonly string[]): Promise<((RecordOwner & InstalledVersion) | undefined)[]> => {
    type Row = { project: string; account: string; version: string | null };
    const rows = await pool.rows<Row>(BY_ID, [ids]);
    return rows.map(({ project, account, version }) => (version === null ? undefined : { project, account, version }));
  },
  /** -> the owner of a target by the hash of its secret part */
  ownerOfTarget: (hash: string) => pool.one<RecordOwner>(OF_TARGET, [hash]),
  find: ({ project, account }: RecordOwner) => pool.one<PublishedInstallation>(FIND, [project, account]),
  ofAccount: (account: string) => pool.rows<PublishedInstallation>(OF_ACCOUNT, [account]),
  all: () => pool.rows<PublishedInstallation>(ALL, []),
  /** -> whether the state was another one */
  setState: (id: string, state: InstallationState, now: Date, report: ChangeReport): Promise<boolean> =>
    pool.transaction(async (tx) => {
      const isChanged = (await tx.one(SET_STATE, [id, state, now])) !== undefined;
      if (isChanged) await addChangeReport(tx, report, now);
      return isChanged;
    }),
  previous: async (id: string): Promise<PreviousInstallation | undefined> =>
    (await pool.one<{ previous: PreviousInstallation | null }>(PREVIOUS, [id]))?.previous ?? undefined,
  /** -> whether there was an upgrade to roll back */
  rollBack: (id: string, now: Date, report: ChangeReport): Promise<boolean> =>
    pool.transaction(async (tx) => {
      const isRolledBack = (await tx.one(ROLL_BACK, [id, now])) !== undefined;
      if (isRolledBack) await addChangeReport(tx, report, now);
      return isRolledBack;
    }),
  /** @shape subscription: null: it has to be sent again */
  confirmSubscription: async (id: string, subscription: string | null): Promise<void> => {
    await pool.rows(CONFIRM, [id, subscription]);
  },
});
export type PublishedInstallationStore = ReturnType<typeof publishedInstallationStore>;
