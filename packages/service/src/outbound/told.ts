import { gather, type Db } from "@parley/database";
import { readMessages, type ListedRow } from "./db/requests.ts";

/** Reads the messages that events are about: those that are asked for together in one statement. -> undefined where there is none */
export const toldMessages = (db: Db): ((id: string) => Promise<ListedRow | undefined>) =>
  gather<string, ListedRow | undefined>({
    maxBatch: 64,
    maxInFlight: 2,
    maxQueue: Number.MAX_SAFE_INTEGER,
    run: (ids) => readMessages(db, ids),
  });
