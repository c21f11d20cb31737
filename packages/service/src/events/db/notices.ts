import { statement, type Db } from "@parley/database";

/** What processes tell each other: the log has grown; subscriptions or leases have changed. */
export const CHANNELS = { log: "parley_log", control: "parley_control" } as const;

const NOTIFY = statement("notify", `select pg_notify($1, '')`);

/** Tells every process that listens, this one included. */
export const notify = async (db: Db, channel: keyof typeof CHANNELS): Promise<void> => {
  await db.one(NOTIFY, [CHANNELS[channel]]);
};
