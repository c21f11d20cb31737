import { setTimeout } from "node:timers/promises";
import type { Invocation } from "@parley/contract";
import { failureText, type Log } from "@parley/telemetry";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { Invocations, InvocationStore } from "../../state/invocations.sql.ts";

interface InvocationLogDeps {
  readonly store: InvocationStore;
  readonly owner: RecordOwner;
  /** Number of invocations that are kept: the newest. */
  readonly maxInvocations: number;
  readonly log: Log;
}

interface InvocationLog extends Invocations {
  /** Resolves when all recorded invocations are stored. */
  written(): Promise<void>;
}

/** Default length of a list. */
const DEFAULT_LIST_LENGTH = 100;
/** Old invocations are deleted after this number of new invocations: a deletion after each call would cost a statement per call. */
const TRIM_EVERY = 500;
/** Pause between two statements, so that many calls are stored by few statements. @units milliseconds */
const WRITE_DELAY_MS = 25;

/**
 * Stores invocations in the database, in batches: those that arrive while a statement runs are stored by the next statement. A failure is logged
 * only.
 */
export const createInvocationLog = ({ store, owner, maxInvocations: most, log }: InvocationLogDeps): InvocationLog => {
  const listeners = new Set<(invocation: Invocation) => void>();
  let waiting: Invocation[] = [];
  let writing: Promise<void> | undefined;
  let pause = new AbortController();
  let untrimmed = TRIM_EVERY;

  const writeOnce = async (): Promise<void> => {
    // An invocation that was recorded twice would be in one statement twice, which the database rejects.
    const batch = [...new Map(waiting.map((one) => [one.id, one])).values()];
    waiting = [];
    await store.add(owner, batch);
    untrimmed += batch.length;
    if (untrimmed < TRIM_EVERY) return;
    untrimmed = 0;
    await store.trim(owner, most);
  };
  const write = (): void => {
    writing = writeOnce()
      .catch((error: unknown) =>
        log(`The app's invocations could not be stored: ${failureText(error)}`, { level: "error" }),
      )
      .then(() => setTimeout(WRITE_DELAY_MS, undefined, { signal: pause.signal }).catch(() => undefined))
      .then(() => {
        writing = undefined;
        if (waiting.length > 0) write();
      });
  };
  const written = async (): Promise<void> => {
    while (writing) {
      pause.abort();
      await writing;
    }
    pause = new AbortController();
  };

  return {
    record(invocation) {
      waiting.push(invocation);
      // More than are kept are never needed, however slow the database is.
      if (waiting.length > most) waiting.shift();
      if (!writing) write();
      for (const listener of listeners) listener(invocation);
    },
    written,
    async find(id) {
      await written();
      return store.find(owner, id);
    },
    async list(filter) {
      await written();
      return store.list(owner, { ...filter, limit: Math.min(filter.limit ?? DEFAULT_LIST_LENGTH, most) });
    },
    async page(filter, max) {
      await written();
      return store.page(owner, filter, max);
    },
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
