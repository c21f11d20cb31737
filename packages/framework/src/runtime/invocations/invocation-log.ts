import { setTimeout } from "node:timers/promises";
import type { Invocation } from "@parley/contract";
import type { Invocations, InvocationStore } from "./store.ts";

interface InvocationLogDeps {
  readonly store: InvocationStore;
  /** Name of the app. */
  readonly project: string;
  /** How many are kept: the newest. */
  readonly most: number;
  readonly log: (line: string) => void;
}

interface InvocationLog extends Invocations {
  /** Resolves when everything that was recorded is stored. */
  written(): Promise<void>;
}

/** Of a list that says nothing of its length. */
const USUAL = 100;
/** Older ones go after so many new ones; each time would cost a statement a call. */
const TRIM_EVERY = 500;
/** Between two statements, so that many calls make few of them. @units milliseconds */
const writeDelayMs = 25;

/** Keeps invocations in the database, gathered into one statement while another runs; what can't be stored is only logged. */
export const createInvocationLog = ({ store, project, most, log }: InvocationLogDeps): InvocationLog => {
  const listeners = new Set<(invocation: Invocation) => void>();
  let waiting: Invocation[] = [];
  let writing: Promise<void> | undefined;
  let rest = new AbortController();
  let untrimmed = TRIM_EVERY;

  const writeOnce = async (): Promise<void> => {
    // One that came twice would be in one statement twice, which the database refuses.
    const batch = [...new Map(waiting.map((one) => [one.id, one])).values()];
    waiting = [];
    await store.add(project, batch);
    untrimmed += batch.length;
    if (untrimmed < TRIM_EVERY) return;
    untrimmed = 0;
    await store.trim(project, most);
  };
  const write = (): void => {
    writing = writeOnce()
      .catch((error: unknown) => log(`error: What the app's handlers did could not be kept: ${String(error)}`))
      .then(() => setTimeout(writeDelayMs, undefined, { signal: rest.signal }).catch(() => undefined))
      .then(() => {
        writing = undefined;
        if (waiting.length > 0) write();
      });
  };
  const written = async (): Promise<void> => {
    while (writing) {
      rest.abort();
      await writing;
    }
    rest = new AbortController();
  };

  return {
    record(invocation) {
      waiting.push(invocation);
      // More than is kept can't be wanted, however slow the database is.
      if (waiting.length > most) waiting.shift();
      if (!writing) write();
      for (const listener of listeners) listener(invocation);
    },
    written,
    async find(id) {
      await written();
      return store.find(project, id);
    },
    async list(filter) {
      await written();
      return store.list(project, { ...filter, limit: Math.min(filter.limit ?? USUAL, most) });
    },
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
