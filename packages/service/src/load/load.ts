import { migrate, type Database } from "@parley/database";
import { serviceConfig } from "../configuration/config.ts";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../db/migrations.ts";
import { hostRules } from "../edge/host.ts";
import { realPorts, type Ports } from "../environment/ports.ts";
import { rankStore } from "../users/ranks.sql.ts";
import { loadAccountOf } from "./account.ts";
import { conversationsOf, makeBatch, type LoadBatch, type LoadBatchPlan } from "./batch.ts";
import { tidyTables, loadWriteStore } from "./write.sql.ts";

export interface LoadOptions {
  readonly database: Database;
  /** Account name. A small account is created if none exists. */
  readonly account: string;
  readonly users: number;
  readonly messages: number;
  /** The same seed generates the same people, times and texts; ids are always new. */
  readonly seed: number;
  readonly ports?: Ports;
  /** Ends the load after the current batch. */
  readonly signal?: AbortSignal;
  readonly progress?: (done: LoadResult) => void;
}

/** Committed rows. */
export interface LoadResult {
  readonly users: number;
  readonly conversations: number;
  readonly messages: number;
}

/** Users per transaction. Transactions are short, since the event log waits for every open transaction that has drawn log positions. */
const BATCH = 1_000;
const MESSAGES_OF_BATCH = 4_000;
/** Batches between two updates of the rank counts that user lists use. */
const FOLD_EVERY = 10;
/** Period of the generated users before today. @units milliseconds */
const SPAN = 2 * 365 * 24 * 60 * 60 * 1_000;
const DAY = 24 * 60 * 60 * 1_000;

/** Divides a number evenly: the share of part `index` of `parts`. */
const share = (whole: number, index: number, parts: number): number =>
  Math.floor((whole * (index + 1)) / parts) - Math.floor((whole * index) / parts);

/** Batches in chronological order, so that rows of one time are stored together. The period ends at the last midnight (UTC). */
const plansOf = ({ users, messages }: Pick<LoadOptions, "users" | "messages">, now: Date): LoadBatchPlan[] => {
  const parts = Math.min(users, Math.max(Math.ceil(users / BATCH), Math.ceil(messages / MESSAGES_OF_BATCH)));
  const end = new Date(Math.floor(now.getTime() / DAY) * DAY);
  const at = (index: number) => new Date(end.getTime() - SPAN + Math.floor((SPAN * index) / parts));
  return Array.from({ length: parts }, (_, index) => ({
    index,
    users: share(users, index, parts),
    messages: share(messages, index, parts),
    from: at(index),
    to: at(index + 1),
    end,
  }));
};

const add = (done: LoadResult, { users, talks }: LoadBatch): LoadResult => ({
  users: done.users + users.length,
  conversations: done.conversations + talks.length,
  messages: done.messages + talks.reduce((sum, { messages }) => sum + messages.length, 0),
});

/**
 * Fills an account with users and conversations of two years, written directly to the database in batches.
 * @assumed Generated data causes no events: an app would otherwise greet a million users who wrote years ago.
 */
export const generateLoad = async (options: LoadOptions): Promise<LoadResult> => {
  const { database, account, seed, ports = realPorts, signal, progress = () => undefined } = options;
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  const pool = database.pool(SERVICE_SCHEMA, { max: 2, applicationName: "parley load" });
  const { domain } = hostRules(serviceConfig());
  try {
    const cast = await loadAccountOf(pool, ports, { name: account, domain });
    const ranks = rankStore(pool);
    let done: LoadResult = { users: 0, conversations: 0, messages: 0 };
    let writing: Promise<void> = Promise.resolve();
    const write = async (batch: LoadBatch, before: Promise<void>, index: number) => {
      await before;
      await pool.transaction((tx) => loadWriteStore(tx).write(cast.accountId, batch));
      done = add(done, batch);
      progress(done);
      if (index % FOLD_EVERY === FOLD_EVERY - 1) await ranks.fold(cast.accountId);
    };
    for (const plan of plansOf(options, ports.now())) {
      if (signal?.aborted) break;
      const numbers = await loadWriteStore(pool).numbers(conversationsOf(seed, plan));
      const batch = makeBatch(seed, plan, { cast, ports, numbers });
      // The next batch is generated while this one is written.
      const before = writing;
      writing = write(batch, before, plan.index);
      writing.catch(() => undefined);
      await before;
    }
    await writing;
    await ranks.fold(cast.accountId);
    await tidyTables(pool);
    return done;
  } finally {
    await pool.end();
  }
};
