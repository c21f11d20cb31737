import type { Ports } from "../ports.ts";
import type { pause } from "./bell.ts";
import type { Delivery } from "./db/deliveries.ts";
import type { LogRow } from "./db/log.ts";
import type { Subscription } from "./db/subscriptions.ts";
import { deathOf, delivered, failed, untried } from "./delivery.ts";
import { hostGate } from "./host-gate.ts";
import type { Journal } from "./journal.ts";
import { persist } from "./persisting.ts";
import { appRetries, type DispatchRules } from "./rules.ts";
import type { Tell } from "./telling.ts";

export interface CourierDeps {
  readonly subscription: () => Subscription;
  readonly rules: DispatchRules;
  readonly tell: Tell;
  /** Resolves when the partition is known to be this process's still. */
  readonly sure: (signal: AbortSignal) => Promise<void>;
  /** The wait before another try. */
  readonly wait: typeof pause;
  readonly bury: (delivery: Delivery) => Promise<unknown>;
  readonly journal: Journal;
  readonly ports: Pick<Ports, "now">;
  /** The end of the dispatcher. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/**
 * Brings events to one app host: tries each a few times, then gives it up as a dead letter, so that the next can go on.
 * @assumed What an app host answers with 400, 401, 404 or 410 is given up at once; a host that can't be reached is waited for.
 */
export const courier = (deps: CourierDeps) => {
  const { subscription, rules, tell, sure, wait: rest, bury, journal, signal: over, log } = deps;
  const { now } = deps.ports;
  const gate = hostGate(rules.hostWaitMs, {
    signal: over,
    said: (line) => log(`events: ${subscription().name}: ${line}`),
  });

  /** -> false when the signal ended it: the event is neither delivered nor given up */
  return async (event: LogRow, signal: AbortSignal): Promise<boolean> => {
    const { id } = subscription();
    const first_time = now();
    let standing = { ...untried(id, event, first_time), state: "waiting" as const, first_time };
    for (let spent = 0; ;) {
      await gate.pass(signal);
      await sure(signal);
      if (signal.aborted) return false;
      const began = performance.now();
      const { attempt, taken } = await tell(subscription(), event, { ...standing, timeoutMs: rules.tryMs });
      if (attempt.kind === "unreachable") {
        gate.close(attempt.reason);
        continue;
      }
      gate.open();
      if (attempt.kind === "accepted") {
        journal.note(delivered({ ...standing, taken }, attempt, now()));
        return true;
      }
      if (signal.aborted) return false;
      const next = failed(appRetries(rules), { ...standing, taken }, attempt, now());
      const wait = rules.retryWaitsMs[standing.tries] ?? 0;
      spent += performance.now() - began + wait;
      if (next.state === "dead" || spent >= rules.budgetMs) {
        const dead: Delivery = { ...next, state: "dead", next_time: null, retry_time: null };
        log(deathOf(subscription().name, dead));
        return (await persist(() => bury(dead), signal, log)) !== undefined;
      }
      standing = { ...standing, taken, tries: next.tries };
      await rest(wait, signal);
    }
  };
};
