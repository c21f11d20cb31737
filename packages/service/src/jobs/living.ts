import type { Connection } from "@parley/database";
import { nameProcess } from "./store.ts";

/** The number of this process, which others take for alive as long as its connection is. */
export interface Living {
  /** undefined while there is no connection. */
  number(): number | undefined;
  /** Takes a number where there is none; a new one after a break, since the old one stood for nobody meanwhile. */
  step(): Promise<void>;
  close(): Promise<void>;
}

export const living = (connect: () => Promise<Connection>): Living => {
  let connection: Connection | undefined;
  let number: number | undefined;
  return {
    number: () => number,
    async step() {
      if (number !== undefined) return;
      await connection?.close();
      const opened = await connect();
      connection = opened;
      number = await nameProcess(opened);
      opened.onLost(() => {
        number = undefined;
      });
    },
    close: async () => connection?.close(),
  };
};
