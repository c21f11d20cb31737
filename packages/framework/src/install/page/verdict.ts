import type { InstallField } from "@parley/contract";
import { isEmpty, type Entry } from "../validate.ts";
import type { Outcome } from "./frame-call.ts";
import { newest } from "./newest.ts";

/** What the server's expressions and the app's callback say to one entry. */
export interface Verdict {
  readonly mismatch: string | undefined;
  readonly outcome: Outcome;
}

export interface Judges {
  readonly call: (name: string, value: Entry) => Promise<Outcome>;
  readonly check: (key: string, value: Entry) => Promise<string | undefined>;
}

/** Asks both about an entry; undefined comes back when a newer entry overtook it. */
export const judgeOf = (
  { key, callback, patterns }: InstallField,
  { call, check }: Judges,
): ((entry: Entry) => Promise<Verdict | undefined>) =>
  newest(async (entry: Entry): Promise<Verdict> => {
    const [mismatch, outcome] = await Promise.all([
      patterns && !isEmpty(entry) ? check(key, entry) : undefined,
      callback === undefined ? ({ t: "passed" } as const) : call(callback, entry),
    ]);
    return { mismatch, outcome };
  });
