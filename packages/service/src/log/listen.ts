import type { Connection } from "@parley/database";
import { NOTIFY_CHANNELS } from "./notifications.sql.ts";

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
