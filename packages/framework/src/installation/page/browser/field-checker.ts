import type { InstallField } from "@parley/contract";
import { isEmpty, type FormEntry } from "../../iparams/validate-value.ts";
import type { CallbackOutcome } from "./frame-call.ts";

/**
 * Runs work one at a time: while one runs, only the newest request waits; undefined comes back for a request that a newer one
 * overtook. So an older answer, and what its callback set on the way, never comes after a newer one's.
 */
const latestOnly = <V, O>(work: (value: V) => Promise<O>): ((value: V) => Promise<O | undefined>) => {
  let running: Promise<unknown> = Promise.resolve();
  let latest = 0;
  return async (value) => {
    const mine = (latest += 1);
    // One that was waiting may have begun meanwhile: wait until none runs.
    for (let seen; seen !== running;) {
      seen = running;
      await seen;
    }
    if (mine !== latest) return undefined;
    const mineRunning = work(value);
    running = mineRunning.catch(() => undefined);
    const outcome = await mineRunning;
    return mine === latest ? outcome : undefined;
  };
};

/** What the server's expressions and the app's callback say to one entry. */
export interface FieldVerdict {
  readonly mismatch: string | undefined;
  readonly outcome: CallbackOutcome;
}

export interface FieldCheckers {
  readonly call: (name: string, value: FormEntry) => Promise<CallbackOutcome>;
  readonly check: (key: string, value: FormEntry) => Promise<string | undefined>;
}

/** Asks both about an entry; undefined comes back when a newer entry overtook it. */
export const createFieldChecker = (
  { key, callback, patterns }: InstallField,
  { call, check }: FieldCheckers,
): ((entry: FormEntry) => Promise<FieldVerdict | undefined>) =>
  latestOnly(async (entry: FormEntry): Promise<FieldVerdict> => {
    const [mismatch, outcome] = await Promise.all([
      patterns && !isEmpty(entry) ? check(key, entry) : undefined,
      callback === undefined ? ({ t: "passed" } as const) : call(callback, entry),
    ]);
    return { mismatch, outcome };
  });
