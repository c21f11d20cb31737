import { statement, type Db } from "@parley/database";

/** Notification channels between processes: `log` when the log has grown, `control` when subscriptions or leases have changed. */
export const NOTIFY_CHANNELS = { log: "parley_log", control: "parley_control" } as const;

const NOTIFY = statement("notify", `select pg_notify($1, '')`);

/** Notifies every process that listens, this one included. */
export const notify = async (db: Db, channel: keyof typeof NOTIFY_CHANNELS): Promise<void> => {
  await db.one(NOTIFY, [NOTIFY_CHANNELS[channel]]);
};
