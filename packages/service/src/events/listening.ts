import type { Connection } from "@parley/database";
import { CHANNELS } from "./db/notices.ts";

/** Hears what other processes tell. */
export interface Listening {
  /** Connects again if need be. */
  step(): Promise<void>;
  close(): Promise<void>;
}

export const listening = (
  connect: () => Promise<Connection>,
  hear: { readonly [C in keyof typeof CHANNELS]: () => void },
): Listening => {
  let connection: Connection | undefined;
  return {
    async step() {
      if (connection) return;
      const opened = await connect();
      connection = opened;
      opened.onLost(() => {
        connection = undefined;
      });
      await opened.listen(CHANNELS.log, hear.log);
      await opened.listen(CHANNELS.control, hear.control);
      // What was told while nobody listened.
      hear.log();
    },
    close: async () => connection?.close(),
  };
};
