import type { InstallField } from "@parley/contract";
import { isEmpty, type FormEntry } from "../../../model/iparams/validate-value.ts";
import type { CallbackOutcome } from "./frame-call.ts";

/**
 * Runs work sequentially. While it runs, only the newest request waits; a request that is superseded by a newer one returns undefined. An older result, with
 * the attributes that its callback set, therefore never follows a newer result.
 */
const latestOnly = <V, O>(work: (value: V) => Promise<O>): ((value: V) => Promise<O | undefined>) => {
  let running: Promise<unknown> = Promise.resolve();
  let latest = 0;
  return async (value) => {
    const mine = (latest += 1);
    // A waiting request may have started in the meantime: waits until no request runs.
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

/** Result of the server's expressions and the app's callback for an entry. */
export interface FieldVerdict {
  readonly mismatch: string | undefined;
  readonly outcome: CallbackOutcome;
}

export interface FieldCheckers {
  readonly call: (name: string, value: FormEntry) => Promise<CallbackOutcome>;
  readonly check: (key: string, value: FormEntry) => Promise<string | undefined>;
}

/** Runs both checks of an entry; returns undefined if a newer entry superseded it. */
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
