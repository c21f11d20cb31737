import type { LogRow, LogStore } from "../log/store.ts";
import { createLogFeed } from "../log/feed.ts";
import type { LogReadRules } from "../log/feed.ts";
import { cursorSignature, type StreamCursor } from "./access.ts";
import type { StreamRules } from "./stream-rules.ts";
import type { StreamStore } from "./store.ts";

/** The newest events of one account, for all its streams in this process. */
interface Tail {
  /** Adds rows that became final, in order. */
  add(rows: readonly LogRow[]): void;
  /** -> the rows after a position, in order; undefined for a position before the oldest row kept: read the log instead */
  after(seq: number, limit: number): readonly LogRow[] | undefined;
}

/** @shape from: the position after which all of the account's rows will be added; limit: maximum number of rows */
const tail = (from: number, limit: number): Tail => {
  const rows: LogRow[] = [];
  let reach = from;
  return {
    add(added) {
      rows.push(...added);
      const dropped = rows.splice(0, Math.max(0, rows.length - limit));
      reach = dropped.at(-1)?.seq ?? reach;
    },
    after(seq, limit) {
      if (seq < reach) return undefined;
      const first = rows.findLastIndex((row) => row.seq <= seq) + 1;
      return rows.slice(first, first + limit);
    },
  };
};

interface ReadingDeps {
  readonly log: LogStore;
  readonly store: Pick<StreamStore, "span">;
  readonly rules: StreamRules;
  readonly feedRules: LogReadRules;
  readonly signal: AbortSignal;
}

/** A final range of the log: an account's events in it, and its end. */
interface ReadRange {
  readonly rows: readonly LogRow[];
  readonly reached: number;
}

/** Reads the log for all streams of a process: the end of the log once for all of them, older events for each stream. */
export interface LogReader {
  /** Follows an account until the returned function is called; the callback is called when there may be new events. */
  follow(accountId: number, listener: () => void): () => void;
  /** Position up to which the log is final; undefined while that is not known. */
  horizon(): number | undefined;
  /** The last event of any account that became final while an account was followed. */
  last(): StreamCursor | undefined;
  /** The events after a position. @errors those of the database */
  after(accountId: number, seq: number): Promise<ReadRange>;
  /** The log may have grown. */
  notify(): void;
  step(): Promise<void>;
}

interface Followed {
  tail: Tail | undefined;
  readonly listeners: Set<() => void>;
}

export const createLogReader = ({ log, store, rules, feedRules, signal }: ReadingDeps): LogReader => {
  const accounts = new Map<number, Followed>();
  let last: StreamCursor | undefined;

  const tailFrom = (seq: number) => tail(seq, rules.cachedRows);
  const notifyFollowers = (rows: readonly LogRow[], from: number): void => {
    const newest = rows.at(-1);
    if (newest) last = { seq: newest.seq, sign: cursorSignature(newest.id) };
    for (const [accountId, followed] of accounts) {
      const own = rows.filter((row) => row.account_id === accountId);
      const isNew = followed.tail === undefined;
      (followed.tail ??= tailFrom(from)).add(own);
      if (isNew || own.length > 0) for (const listener of followed.listeners) listener();
    }
  };
  const reader = createLogFeed({ log, rules: feedRules, signal, isIdle: () => accounts.size === 0 });

  const followedOf = (accountId: number): Followed => {
    const existing = accounts.get(accountId);
    if (existing) return existing;
    const horizon = reader.highWatermark();
    const followed = { tail: horizon === undefined ? undefined : tailFrom(horizon), listeners: new Set<() => void>() };
    accounts.set(accountId, followed);
    reader.notify();
    return followed;
  };

  return {
    follow(accountId, listener) {
      const followed = followedOf(accountId);
      followed.listeners.add(listener);
      return () => {
        followed.listeners.delete(listener);
        if (followed.listeners.size === 0 && accounts.get(accountId) === followed) accounts.delete(accountId);
      };
    },
    horizon: () => reader.highWatermark(),
    last: () => last,
    async after(accountId, seq) {
      const horizon = reader.highWatermark();
      // Another process may have sent events that this one has not read yet.
      if (horizon === undefined || seq >= horizon) return { rows: [], reached: seq };
      const near = accounts.get(accountId)?.tail?.after(seq, rules.batch);
      const upTo = near ? horizon : Math.min(horizon, seq + rules.span);
      const rows = near ?? (await store.span(accountId, seq, upTo, rules.batch));
      return { rows, reached: rows.length < rules.batch ? upTo : (rows.at(-1)?.seq ?? upTo) };
    },
    notify: () => reader.notify(),
    step: () => reader.step(notifyFollowers),
  };
};
