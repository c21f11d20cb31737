import type { Ports } from "../ports.ts";
import { pause } from "./bell.ts";
import type { RetentionStore } from "./db/retention.ts";
import type { DispatchRules } from "./rules.ts";

export interface RetentionDeps {
  readonly store: RetentionStore;
  readonly rules: Pick<DispatchRules, "keptDays">;
  readonly ports: Pick<Ports, "now">;
  readonly signal: AbortSignal;
}

/** @units milliseconds */
const DAY = 86_400_000;
/** Events removed at a time, so that nobody waits for it. */
const AT_A_TIME = 500;
/** Between two removals. @units milliseconds */
const BREATH = 20;

/** -> a walk along the log from its beginning that removes what is older than events are kept and that nobody needs any more */
export const retention =
  ({ store, rules: { keptDays }, ports: { now }, signal }: RetentionDeps) =>
  async (): Promise<void> => {
    const before = new Date(now().getTime() - keptDays * DAY);
    for (let last: number | undefined = 0; last !== undefined && !signal.aborted;) {
      last = await store.remove(last, before, AT_A_TIME);
      await pause(BREATH, signal);
    }
    if (!signal.aborted) await store.forget(before, now());
  };
