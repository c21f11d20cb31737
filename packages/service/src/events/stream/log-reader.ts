import type { LogRow, LogStore } from "../../base/log/store.ts";
import { createLogFeed } from "../../base/log/feed.ts";
import type { LogReadRules } from "../../base/log/follower.ts";
import { cursorSignature, type StreamCursor } from "./access.ts";
import type { StreamPacing } from "./stream-pacing.ts";
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
  readonly pacing: Pick<StreamPacing, "charge">;
  readonly signal: AbortSignal;
}

/** A final range of the log: an account's events in it, and its end. */
interface ReadRange {
  readonly rows: readonly LogRow[];
  readonly reached: number;
}

/** The only conversation, or the only user, whose events a stream sends. */
export type StreamSubject = { readonly conversationId: string } | { readonly userId: string };

/** A stream that follows an account. Events that it doesn't want cost it nothing. */
interface Follower {
  /** undefined: it wants events of the whole account. */
  readonly subject: StreamSubject | undefined;
  readonly isWanted: (row: LogRow) => boolean;
  /** There are events that are wanted, the first of them at the given position; or the end of the log became known. */
  readonly notify: (firstWanted?: number) => void;
}

/** Reads the log for all streams of a process: the end of the log once for all of them, older events for each stream. */
export interface LogReader {
  /** Follows an account until the returned function is called. */
  follow(accountId: number, follower: Follower): () => void;
  /** Position up to which the log is final; undefined while that is not known. */
  horizon(): number | undefined;
  /** The last event of any account that became final while an account was followed. */
  last(): StreamCursor | undefined;
  /**
   * The events after a position; those of one user only where the range is read from the log for that user's stream. @errors those of the
   * database
   */
  after(accountId: number, seq: number, subject?: StreamSubject): Promise<ReadRange>;
  /** The log may have grown. */
  notify(): void;
  step(): Promise<void>;
}

/** How long a read is shared; short, so that nothing is sent of a log that was reset. @units milliseconds */
const SHARED_READ_TTL_MS = 200;
/** Assumed cost of a read of the log: about the processor time of it and of the texts of its events. @units milliseconds */
const READ_COST_MS = 1;

interface Followed {
  tail: Tail | undefined;
  /** Followers of the whole account, and those of a single conversation or user by its id. */
  readonly ofAll: Set<Follower>;
  readonly byConversation: Map<string, Set<Follower>>;
  readonly byUser: Map<string, Set<Follower>>;
}

/** -> the index that contains the follower, and its key there */
const indexOf = (
  { byConversation, byUser }: Followed,
  subject: StreamSubject,
): [index: Map<string, Set<Follower>>, id: string] =>
  "userId" in subject ? [byUser, subject.userId] : [byConversation, subject.conversationId];

const addFollower = (followed: Followed, follower: Follower): void => {
  if (!follower.subject) return void followed.ofAll.add(follower);
  const [index, id] = indexOf(followed, follower.subject);
  const own = index.get(id) ?? new Set();
  index.set(id, own.add(follower));
};

const removeFollower = (followed: Followed, follower: Follower): void => {
  if (!follower.subject) return void followed.ofAll.delete(follower);
  const [index, id] = indexOf(followed, follower.subject);
  const own = index.get(id);
  own?.delete(follower);
  if (own?.size === 0) index.delete(id);
};

const isUnfollowed = ({ ofAll, byConversation, byUser }: Followed): boolean =>
  ofAll.size === 0 && byConversation.size === 0 && byUser.size === 0;

const notifyAll = ({ ofAll, byConversation, byUser }: Followed): void => {
  for (const follower of ofAll) follower.notify();
  for (const index of [byConversation, byUser])
    for (const own of index.values()) for (const follower of own) follower.notify();
};

/** Notifies each follower that wants one of the rows, once. */
const notifyWanting = ({ ofAll, byConversation, byUser }: Followed, rows: readonly LogRow[]): void => {
  for (const follower of ofAll) {
    const first = rows.find(follower.isWanted);
    if (first) follower.notify(first.seq);
  }
  const notified = new Set<Follower>();
  for (const row of rows)
    for (const followers of [byConversation.get(row.entity_id), byUser.get(row.user_id)])
      for (const follower of followers ?? []) {
        if (notified.has(follower) || !follower.isWanted(row)) continue;
        notified.add(follower);
        follower.notify(row.seq);
      }
};

const rowsByAccount = (rows: readonly LogRow[]): ReadonlyMap<number, LogRow[]> => {
  const byAccount = new Map<number, LogRow[]>();
  for (const row of rows) {
    const own = byAccount.get(row.account_id);
    if (own) own.push(row);
    else byAccount.set(row.account_id, [row]);
  }
  return byAccount;
};

export const createLogReader = ({ log, store, rules, feedRules, pacing, signal }: ReadingDeps): LogReader => {
  const accounts = new Map<number, Followed>();
  /** Accounts that were followed before the end of the log was known. */
  const withoutTail = new Set<Followed>();
  let last: StreamCursor | undefined;

  const tailFrom = (seq: number) => tail(seq, rules.cachedRows);
  const notifyFollowers = (rows: readonly LogRow[], from: number): void => {
    const newest = rows.at(-1);
    if (newest) last = { seq: newest.seq, sign: cursorSignature(newest.id) };
    for (const followed of withoutTail) {
      followed.tail = tailFrom(from);
      notifyAll(followed);
    }
    withoutTail.clear();
    for (const [accountId, own] of rowsByAccount(rows)) {
      const followed = accounts.get(accountId);
      followed?.tail?.add(own);
      if (followed) notifyWanting(followed, own);
    }
  };
  const reader = createLogFeed({ log, rules: feedRules, signal, isIdle: () => accounts.size === 0 });

  const followedOf = (accountId: number): Followed => {
    const existing = accounts.get(accountId);
    if (existing) return existing;
    const horizon = reader.highWatermark();
    const followed: Followed = {
      tail: horizon === undefined ? undefined : tailFrom(horizon),
      ofAll: new Set(),
      byConversation: new Map(),
      byUser: new Map(),
    };
    accounts.set(accountId, followed);
    if (!followed.tail) withoutTail.add(followed);
    reader.notify();
    return followed;
  };

  /** @shape upTo: end of the range that was read for the rows */
  const rangeOf = (rows: readonly LogRow[], upTo: number): ReadRange => ({
    rows,
    reached: rows.length < rules.batch ? upTo : (rows.at(-1)?.seq ?? upTo),
  });
  const spans = new Map<string, Promise<ReadRange>>();

  /** Reads for streams that are behind. Streams that fell behind together are at the same position and share the read. */
  const readSpan = (accountId: number, seq: number, horizon: number, userId: string | null): Promise<ReadRange> => {
    const key = `${accountId} ${seq} ${userId}`;
    const earlier = spans.get(key);
    if (earlier) return earlier;
    pacing.charge(READ_COST_MS);
    const upTo = Math.min(horizon, seq + rules.span);
    const span = store.span(accountId, seq, upTo, rules.batch, userId).then((rows) => rangeOf(rows, upTo));
    spans.set(key, span);
    setTimeout(() => spans.delete(key), SHARED_READ_TTL_MS).unref();
    span.catch(() => spans.delete(key));
    return span;
  };

  return {
    follow(accountId, follower) {
      const followed = followedOf(accountId);
      addFollower(followed, follower);
      return () => {
        removeFollower(followed, follower);
        if (!isUnfollowed(followed) || accounts.get(accountId) !== followed) return;
        accounts.delete(accountId);
        withoutTail.delete(followed);
      };
    },
    horizon: () => reader.highWatermark(),
    last: () => last,
    async after(accountId, seq, subject) {
      const horizon = reader.highWatermark();
      // Another process may have sent events that this one has not read yet.
      if (horizon === undefined || seq >= horizon) return { rows: [], reached: seq };
      const near = accounts.get(accountId)?.tail?.after(seq, rules.batch);
      if (near) return rangeOf(near, horizon);
      return readSpan(accountId, seq, horizon, subject && "userId" in subject ? subject.userId : null);
    },
    notify: () => reader.notify(),
    step: () => reader.step(notifyFollowers),
  };
};
