import { sleep } from "../concurrency/wake-signal.ts";
import type { Ports } from "../environment/ports.ts";
import type { DispatchRules } from "./dispatch-rules.ts";
import type { RetentionStore } from "./retention.sql.ts";

interface RetentionDeps {
  readonly store: RetentionStore;
  readonly rules: Pick<DispatchRules, "keptDays">;
  readonly ports: Pick<Ports, "now">;
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;
/** Events removed by one statement: few, so that no other statement waits for it. */
const EVENTS_PER_REMOVAL = 500;
/** Time between two removals. @units milliseconds */
const REMOVAL_INTERVAL_MS = 20;

/** -> a function that walks the log from its start and removes events that are past their retention and that no subscriber needs */
export const createRetention =
  ({ store, rules: { keptDays }, ports: { now }, signal }: RetentionDeps) =>
  async (): Promise<void> => {
    const before = new Date(now().getTime() - keptDays * DAY_MS);
    for (let last: number | undefined = 0; last !== undefined && !signal.aborted;) {
      last = await store.remove(last, before, EVENTS_PER_REMOVAL);
      await sleep(REMOVAL_INTERVAL_MS, signal);
    }
    if (!signal.aborted) await store.expire(before, now());
  };
