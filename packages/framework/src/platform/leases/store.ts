import { statement, type Db } from "@parley/database";

/** Lifetime of a process's row without renewal, by the clock of the database. @units milliseconds */
export const PROCESS_LIFETIME_MS = 5_000;

const EXPIRY = `clock_timestamp() + interval '${PROCESS_LIFETIME_MS} milliseconds'`;

const REGISTER = statement(
  "register_platform_process",
  `insert into platform_processes (id, address, pid, expires_time) values ($1, $2, $3, ${EXPIRY})`,
);
const RENEW = statement(
  "renew_platform_process",
  `update platform_processes set expires_time = ${EXPIRY}
   where id = $1 and expires_time > clock_timestamp() returning id`,
);
const REMOVE = statement("remove_platform_process", "delete from platform_processes where id = $1");
const REMOVE_EXPIRED = statement(
  "remove_expired_platform_processes",
  "delete from platform_processes where expires_time < clock_timestamp() - interval '1 minute'",
);
const TAKE = statement(
  "take_installation",
  `insert into installation_leases (installation_id, process_id, taken_time)
   select installations.id, own.id, clock_timestamp()
     from platform_processes own, installations
    where own.id = $2 and own.expires_time > clock_timestamp() and installations.id = $1
   on conflict (installation_id) do update set process_id = excluded.process_id, taken_time = excluded.taken_time
     where installation_leases.process_id = excluded.process_id
        or not exists (select from platform_processes other
                        where other.id = installation_leases.process_id and other.expires_time > clock_timestamp())
   returning installation_id`,
);
const HOLDER = statement(
  "holder_of_installation",
  `select platform_processes.id, address
     from installation_leases join platform_processes on platform_processes.id = process_id
    where installation_id = $1 and expires_time > clock_timestamp()`,
);
const RELEASE = statement(
  "release_installations",
  "delete from installation_leases where installation_id = any ($1::uuid[]) and process_id = $2",
);

/** A process that holds an installation. @shape address: its origin for other processes of the platform */
export interface LeaseHolder {
  readonly id: string;
  readonly address: string;
}

/** Rows of the tables `platform_processes` and `installation_leases`. All times are those of the database, which processes share. */
export const installationLeaseStore = (db: Db) => ({
  register: async (holder: LeaseHolder): Promise<void> => {
    await db.rows(REGISTER, [holder.id, holder.address, process.pid]);
    await db.rows(REMOVE_EXPIRED, []);
  },
  /** -> false when the row has expired: others may have taken over */
  renew: async (process: string): Promise<boolean> => (await db.one(RENEW, [process])) !== undefined,
  /** Ends all leases of the process. */
  remove: async (process: string): Promise<void> => {
    await db.rows(REMOVE, [process]);
  },
  /** -> whether the process holds the installation now */
  take: async (installation: string, process: string): Promise<boolean> =>
    (await db.one(TAKE, [installation, process])) !== undefined,
  /** The living process that holds an installation. */
  holder: (installation: string) => db.one<LeaseHolder>(HOLDER, [installation]),
  release: async (installations: readonly string[], process: string): Promise<void> => {
    if (installations.length > 0) await db.rows(RELEASE, [installations, process]);
  },
});
export type InstallationLeaseStore = ReturnType<typeof installationLeaseStore>;
