import { statement, type Db } from "@parley/database";

/** Lifetime of a process's row without renewal, by the clock of the database. @units milliseconds */
export const PROCESS_LIFETIME_MS = 5_000;

const EXPIRY = `clock_timestamp() + interval '${PROCESS_LIFETIME_MS} milliseconds'`;

const REGISTER = statement(
  "register_platform_process",
  `INSERT INTO platform_processes (id, address, pid, expires_time) VALUES ($1, $2, $3, ${EXPIRY})`,
);
const RENEW = statement(
  "renew_platform_process",
  `UPDATE platform_processes SET expires_time = ${EXPIRY}
   WHERE id = $1 AND expires_time > clock_timestamp() RETURNING id`,
);
const REMOVE = statement("remove_platform_process", "DELETE FROM platform_processes WHERE id = $1");
const REMOVE_EXPIRED = statement(
  "remove_expired_platform_processes",
  "DELETE FROM platform_processes WHERE expires_time < clock_timestamp() - interval '1 minute'",
);
const TAKE = statement(
  "take_installation",
  `INSERT INTO installation_leases (installation_id, process_id, taken_time)
   SELECT installations.id, own.id, clock_timestamp()
     FROM platform_processes own, installations
    WHERE own.id = $2 AND own.expires_time > clock_timestamp() AND installations.id = $1
   ON CONFLICT (installation_id) DO UPDATE SET process_id = excluded.process_id, taken_time = excluded.taken_time
     WHERE installation_leases.process_id = excluded.process_id
        OR NOT EXISTS (SELECT FROM platform_processes other
                        WHERE other.id = installation_leases.process_id AND other.expires_time > clock_timestamp())
   RETURNING installation_id`,
);
const HOLDER = statement(
  "holder_of_installation",
  `SELECT platform_processes.id, address
     FROM installation_leases JOIN platform_processes ON platform_processes.id = process_id
    WHERE installation_id = $1 AND expires_time > clock_timestamp()`,
);
const RELEASE = statement(
  "release_installations",
  "DELETE FROM installation_leases WHERE installation_id = ANY ($1::uuid[]) AND process_id = $2",
);

/** A process that holds an installation. @shape address: its origin for other processes of the platform */
export interface LeaseHolder {
  readonly id: string;
  readonly address: string;
}

/** Rows of the tables `platform_processes` and `installation_leases`. All times are those of the database, which processes share. */
export const leaseStore = (db: Db) => ({
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
export type LeaseStore = ReturnType<typeof leaseStore>;
