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
  /** The last settings of its subscription that the service has confirmed, as JSON; null: no confirmed settings, or they have to be sent again. */
  readonly subscription: string | null;
}

const COLUMNS = `installations.id, project, account, app_version as version, state, paused_time,
  previous ->> 'version' as previous_version, created_time, updated_time, subscription,
  exists (select from installation_leases join platform_processes on platform_processes.id = process_id
           where installation_id = installations.id and expires_time > clock_timestamp()) as is_running`;

const VERSIONS = statement(
  "installed_versions",
  `select app_version as version
     from unnest($1::text[], $2::text[]) with ordinality as asked (project, account, place)
     left join installations using (project, account)
    order by place`,
);
const BY_ID = statement(
  "installed_by_id",
  `select project, account, app_version as version
     from unnest($1::uuid[]) with ordinality as asked (id, place)
     left join installations using (id)
    order by place`,
);
const OF_TARGET = statement("owner_of_target", "select project, account from targets where hash = $1");
const FIND = statement(
  "find_published_installation",
  `select ${COLUMNS} from installations where project = $1 and account = $2 and app_version is not null`,
);
const OF_ACCOUNT = statement(
  "installations_of_account",
  `select ${COLUMNS} from installations where account = $1 and app_version is not null order by project`,
);
const ALL = statement(
  "all_published_installations",
  `select ${COLUMNS} from installations where app_version is not null order by account, project`,
);
const SET_STATE = statement(
  "set_installation_state",
  `update installations
      set state = $2, paused_time = case when $2 = 'paused' then coalesce(paused_time, $3) end, subscription = null
    where id = $1 and state <> $2 returning id`,
);
const ROLL_BACK = statement(
  "roll_installation_back",
  `update installations
      set app_version = previous ->> 'version', given = previous ->> 'given', secure = previous -> 'secure', previous = null,
          version = version + 1, updated_time = $2, subscription = null
    where id = $1 and previous is not null returning id`,
);
const PREVIOUS = statement("previous_of_installation", "select previous from installations where id = $1");
const CONFIRM = statement("confirm_subscription", "update installations set subscription = $2 where id = $1");

/** Version and parameters before the last upgrade. @shape given: JSON text; secure: sealed values by key */
interface PreviousInstallation {
  readonly version: string;
  readonly given: string;
  readonly secure: Readonly<Record<string, string>>;
}

const LOCK = statement(
  "lock_installation_change",
  "select pg_advisory_xact_lock(hashtext('parley.installation-change'), hashtext($1 || '/' || $2))",
);

/**
 * Rows of the table `installations` that belong to published apps. @shape locks: a pool of its own, whose connections are held for as long as
 * changes of installations take, which need connections of the other pool meanwhile
 */
export const publishedInstallationStore = (pool: Pool, locks: Pool) => ({
  /** Runs a change of an installation after the earlier changes, in all processes. */
  inTurn: <T>({ project, account }: RecordOwner, work: () => Promise<T>): Promise<T> =>
    locks.transaction(async (tx) => {
      await tx.one(LOCK, [project, account]);
      return work();
    }),
  /** -> in the order of the owners; undefined where the app is not installed as a published app */
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
  /** -> whether the state was another state */
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
