import type { Db } from "@parley/database";

/** One kind of background work. It runs at least once for each time that it was asked for, so that doing it twice must be harmless. */
export type Task = (payload: unknown) => Promise<void>;

/**
 * Background work. Due times stand in our own table by our own clock; the queue gets only what is due, so that a clock under test
 * moves everything.
 */
export interface Jobs {
  /** Asks for work, in the transaction (or on the pool) given: it is asked for exactly when that commits. */
  later(db: Db, work: { readonly task: string; readonly payload: unknown; readonly due: Date }): Promise<void>;
  /** Something due may have been committed: looks now, and not only at the next round. */
  wake(): void;
  /** Takes no more; resolves when the work under way has ended or was given back. */
  close(): Promise<void>;
}
