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
  /** Its name; a small account is made where there is none. */
  readonly account: string;
  readonly users: number;
  readonly messages: number;
  /** The same seed brings the same people, times and words; ids are always new. */
  readonly seed: number;
  readonly ports?: Ports;
  /** Ends the load behind the batch under way. */
  readonly signal?: AbortSignal;
  readonly progress?: (done: LoadResult) => void;
}

/** What stands in the database. */
export interface LoadResult {
  readonly users: number;
  readonly conversations: number;
  readonly messages: number;
}

/** Users of a transaction: short ones, since the log of events waits for each that draws positions in it. */
const BATCH = 1_000;
const MESSAGES_OF_BATCH = 4_000;
/** Batches between two folds of the counts that lists stand on. */
const FOLD_EVERY = 10;
/** How far back the first users came. @units milliseconds */
const SPAN = 2 * 365 * 24 * 60 * 60 * 1_000;
const DAY = 24 * 60 * 60 * 1_000;

/** Shares a number out evenly: what part `index` of `parts` has of it. */
const share = (whole: number, index: number, parts: number): number =>
  Math.floor((whole * (index + 1)) / parts) - Math.floor((whole * index) / parts);

/** Batches in the order of time, so that rows of one time lie together. The last day that is over is the last one. */
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
 * Fills an account with people and what they said over two years, straight in the database, in whole batches.
 * @assumed No events are told of what was loaded: an app would greet a million people who wrote years ago.
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
      // The next batch is made while this one is written.
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
