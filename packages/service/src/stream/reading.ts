import type { LogRow, LogStore } from "../events/db/log.ts";
import { feed } from "../events/feed.ts";
import type { DispatchRules } from "../events/index.ts";
import { signOf, type Place } from "./place.ts";
import type { StreamRules } from "./rules.ts";
import type { StreamStore } from "./store.ts";
import { tail, type Tail } from "./tail.ts";

export interface ReadingDeps {
  readonly log: LogStore;
  readonly store: Pick<StreamStore, "span">;
  readonly rules: StreamRules;
  readonly feedRules: DispatchRules;
  readonly signal: AbortSignal;
}

/** A stretch of the log that is final: an account's events in it, and how far it goes. */
export interface Stretch {
  readonly rows: readonly LogRow[];
  readonly reached: number;
}

/** The log as all streams of a process read it: its end once for all of them, what is older each by itself. */
export interface Reading {
  /** Follows an account until the returned function is called; `ring` is called when there may be more of it. */
  follow(accountId: number, ring: () => void): () => void;
  /** Up to where the log is final; undefined while that is not known yet. */
  horizon(): number | undefined;
  /** The last event, of whatever account, that became final while somebody followed. */
  last(): Place | undefined;
  /** What follows a position. @errors what the database failed with */
  after(accountId: number, seq: number): Promise<Stretch>;
  /** The log may have grown. */
  ring(): void;
  step(): Promise<void>;
}

interface Followed {
  tail: Tail | undefined;
  readonly rings: Set<() => void>;
}

export const reading = ({ log, store, rules, feedRules, signal }: ReadingDeps): Reading => {
  const accounts = new Map<number, Followed>();
  let last: Place | undefined;

  const tailFrom = (seq: number) => tail(seq, rules.kept);
  const tell = (rows: readonly LogRow[], from: number): void => {
    const newest = rows.at(-1);
    if (newest) last = { seq: newest.seq, sign: signOf(newest.id) };
    for (const [accountId, followed] of accounts) {
      const own = rows.filter((row) => row.account_id === accountId);
      const isNew = followed.tail === undefined;
      (followed.tail ??= tailFrom(from)).add(own);
      if (isNew || own.length > 0) for (const ring of followed.rings) ring();
    }
  };
  const reader = feed({ log, rules: feedRules, signal, isIdle: () => accounts.size === 0, tell });

  const followedOf = (accountId: number): Followed => {
    const known = accounts.get(accountId);
    if (known) return known;
    const horizon = reader.horizon();
    const followed = { tail: horizon === undefined ? undefined : tailFrom(horizon), rings: new Set<() => void>() };
    accounts.set(accountId, followed);
    reader.ring();
    return followed;
  };

  return {
    follow(accountId, ring) {
      const followed = followedOf(accountId);
      followed.rings.add(ring);
      return () => {
        followed.rings.delete(ring);
        if (followed.rings.size === 0 && accounts.get(accountId) === followed) accounts.delete(accountId);
      };
    },
    horizon: () => reader.horizon(),
    last: () => last,
    async after(accountId, seq) {
      const horizon = reader.horizon();
      // Another process may have told further than this one knows.
      if (horizon === undefined || seq >= horizon) return { rows: [], reached: seq };
      const near = accounts.get(accountId)?.tail?.after(seq, rules.batch);
      const upTo = near ? horizon : Math.min(horizon, seq + rules.span);
      const rows = near ?? (await store.span(accountId, seq, upTo, rules.batch));
      return { rows, reached: rows.length < rules.batch ? upTo : (rows.at(-1)?.seq ?? upTo) };
    },
    ring: () => reader.ring(),
    step: () => reader.step(),
  };
};
