import { migrate, type Database } from "@parley/database";
import { serviceConfig } from "../configuration/config.ts";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../base/db/migrations.ts";
import { hostRules } from "../../identity/edge/host.ts";
import { realPorts, type Ports } from "../../base/environment/ports.ts";
import { rankStore } from "../../messaging/users/ranks.sql.ts";
import { targetAccountOf } from "./account.ts";
import { conversationsOf, makeBatch, type LoadBatch, type LoadBatchPlan } from "./batch.ts";
import { vacuumTables, loadWriteStore } from "./write.sql.ts";

export interface LoadOptions {
  readonly database: Database;
  /** Account name. A small account is created if no account exists. */
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
const USERS_PER_BATCH = 1_000;
const MESSAGES_PER_BATCH = 4_000;
/** Batches between two updates of the rank counts that user lists use. */
const BATCHES_PER_FOLD = 10;
/** Period of the generated users before today. @units milliseconds */
const SPAN_MS = 2 * 365 * 24 * 60 * 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Divides a number evenly: the share of part `index` of `parts`. */
const share = (total: number, index: number, parts: number): number =>
  Math.floor((total * (index + 1)) / parts) - Math.floor((total * index) / parts);

/** Batches in chronological order, so that rows of one time are stored together. The period ends at the last midnight (UTC). */
const plansOf = ({ users, messages }: Pick<LoadOptions, "users" | "messages">, now: Date): LoadBatchPlan[] => {
  const parts = Math.min(users, Math.max(Math.ceil(users / USERS_PER_BATCH), Math.ceil(messages / MESSAGES_PER_BATCH)));
  const end = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const at = (index: number) => new Date(end.getTime() - SPAN_MS + Math.floor((SPAN_MS * index) / parts));
  return Array.from({ length: parts }, (_, index) => ({
    index,
    users: share(users, index, parts),
    messages: share(messages, index, parts),
    from: at(index),
    to: at(index + 1),
    end,
  }));
};

const add = (done: LoadResult, { users, conversations }: LoadBatch): LoadResult => ({
  users: done.users + users.length,
  conversations: done.conversations + conversations.length,
  messages: done.messages + conversations.reduce((sum, { messages }) => sum + messages.length, 0),
});

/**
 * Fills an account with users and conversations of two years, written directly to the database in batches.
 * @assumed Generated data causes no events: an app would otherwise greet a million users who wrote years ago.
 */
export const generateLoad = async (options: LoadOptions): Promise<LoadResult> => {
  const { database, seed, ports = realPorts, signal, progress = () => undefined } = options;
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  const pool = database.pool(SERVICE_SCHEMA, { max: 2, applicationName: "parley load" });
  const { domain } = hostRules(serviceConfig());
  try {
    const account = await targetAccountOf(pool, ports, { name: options.account, domain });
    const ranks = rankStore(pool);
    let done: LoadResult = { users: 0, conversations: 0, messages: 0 };
    let writing: Promise<void> = Promise.resolve();
    const write = async (batch: LoadBatch, before: Promise<void>, index: number) => {
      await before;
      await pool.transaction((tx) => loadWriteStore(tx).write(account.accountId, batch));
      done = add(done, batch);
      progress(done);
      if (index % BATCHES_PER_FOLD === BATCHES_PER_FOLD - 1) await ranks.fold(account.accountId);
    };
    for (const plan of plansOf(options, ports.now())) {
      if (signal?.aborted) break;
      const numbers = await loadWriteStore(pool).numbers(conversationsOf(seed, plan));
      const batch = makeBatch(seed, plan, { account, ports, numbers });
      // The next batch is generated while this one is written.
      const before = writing;
      writing = write(batch, before, plan.index);
      writing.catch(() => undefined);
      await before;
    }
    await writing;
    await ranks.fold(account.accountId);
    await vacuumTables(pool);
    return done;
  } finally {
    await pool.end();
  }
};
