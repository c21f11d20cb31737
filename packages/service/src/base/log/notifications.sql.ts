import { statement, type Db, type Connection } from "@parley/database";

/**
 * Notification channels between processes: `log` when the log has grown, `control` when subscriptions or leases have changed, `live` for
 * state that is not stored, such as the presence of agents.
 */
export const NOTIFY_CHANNELS = { log: "parley_log", control: "parley_control", live: "parley_live" } as const;

/** Maximum size of the payload of a notification, which PostgreSQL sets. @units bytes */
export const NOTIFY_PAYLOAD_BYTES_MAX = 7_999;

const NOTIFY = statement("notify", `select pg_notify($1, '')`);
const NOTIFY_PAYLOADS = statement(
  "notify_payloads",
  `select pg_notify($1, payload) from unnest($2::text[]) as payload`,
);

/** Notifies every process that listens, this one included. */
export const notify = async (db: Db, channel: keyof typeof NOTIFY_CHANNELS): Promise<void> => {
  await db.one(NOTIFY, [NOTIFY_CHANNELS[channel]]);
};

/** Sends payloads in their order to every process that listens, this one included. Of equal payloads in one call, one is received. */
export const notifyPayloads = async (
  db: Db,
  channel: keyof typeof NOTIFY_CHANNELS,
  payloads: readonly string[],
): Promise<void> => {
  await db.rows(NOTIFY_PAYLOADS, [NOTIFY_CHANNELS[channel], payloads]);
};

/** Receives the notifications of other processes on a connection of its own. */
export interface LogListener {
  /** Connects, also again after the connection was lost. Does nothing while it is connected. */
  ensureConnected(): Promise<void>;
  close(): Promise<void>;
}

/** Called with the payload of a notification. Channels without a handler are not listened to. */
interface NotificationHandlers {
  readonly log: () => void;
  readonly control?: () => void;
  readonly live?: (payload: string) => void;
  /** Called after each connect: notifications sent while nothing was connected are lost. */
  readonly connected?: () => void;
}

export const createLogListener = (
  connect: () => Promise<Connection>,
  { connected, ...handlers }: NotificationHandlers,
): LogListener => {
  let connection: Promise<Connection> | undefined;
  let isClosed = false;
  const open = async (): Promise<Connection> => {
    const opened = await connect();
    try {
      for (const [name, handler] of Object.entries(handlers))
        await opened.listen(NOTIFY_CHANNELS[name as keyof typeof handlers], handler);
    } catch (error) {
      await opened.close();
      throw error;
    }
    opened.onLost(forget);
    return opened;
  };
  const forget = () => {
    connection = undefined;
  };
  return {
    async ensureConnected() {
      if (connection) return void (await connection);
      if (isClosed) return;
      connection = open();
      connection.catch(forget);
      await connection;
      handlers.log();
      connected?.();
    },
    async close() {
      isClosed = true;
      await (await connection?.catch(() => undefined))?.close();
    },
  };
};
