import { statement, type Db, type Connection } from "@parley/database";

/** Notification channels between processes: `log` when the log has grown, `control` when subscriptions or leases have changed. */
export const NOTIFY_CHANNELS = { log: "parley_log", control: "parley_control" } as const;

const NOTIFY = statement("notify", `select pg_notify($1, '')`);

/** Notifies every process that listens, this one included. */
export const notify = async (db: Db, channel: keyof typeof NOTIFY_CHANNELS): Promise<void> => {
  await db.one(NOTIFY, [NOTIFY_CHANNELS[channel]]);
};

/** Receives the notifications of other processes on a connection of its own. */
interface LogListener {
  /** Connects, also again after the connection was lost. Does nothing while it is connected. */
  ensureConnected(): Promise<void>;
  close(): Promise<void>;
}

export const createLogListener = (
  connect: () => Promise<Connection>,
  handlers: { readonly [C in keyof typeof NOTIFY_CHANNELS]: () => void },
): LogListener => {
  let connection: Connection | undefined;
  return {
    async ensureConnected() {
      if (connection) return;
      const opened = await connect();
      connection = opened;
      opened.onLost(() => {
        connection = undefined;
      });
      await opened.listen(NOTIFY_CHANNELS.log, handlers.log);
      await opened.listen(NOTIFY_CHANNELS.control, handlers.control);
      // Notifications sent while nothing was connected are lost.
      handlers.log();
    },
    close: async () => connection?.close(),
  };
};
