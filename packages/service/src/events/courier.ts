import type { Attempt, Post } from "./attempt.ts";
import { pause } from "./bell.ts";
import type { DeadLetter } from "./db/cursors.ts";
import type { LogRow } from "./db/log.ts";
import type { Subscription } from "./db/subscriptions.ts";
import { hostGate } from "./host-gate.ts";
import type { DispatchRules } from "./rules.ts";

export interface CourierDeps {
  readonly subscription: () => Subscription;
  readonly rules: DispatchRules;
  /** -> the event as JSON text; undefined when the log does not hold it any more */
  readonly payload: (seq: number) => Promise<string | undefined>;
  readonly post: Post;
  /** The wait before another try. */
  readonly wait: typeof pause;
  readonly bury: (letter: Omit<DeadLetter, "failed_time">) => Promise<void>;
  /** The end of the dispatcher. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

const OWN_ERRORS = new Set(["SyntaxError", "TypeError", "RangeError"]);

/** Between two attempts to keep a dead letter. @units milliseconds */
const REST = 250;

/**
 * Brings events to one subscription: tries each a few times, then gives it up as a dead letter, so that the next can go on.
 * @assumed What an app host answers with 400, 401, 404 or 410 is given up at once; a host that can't be reached is waited for.
 */
export const courier = ({ subscription, rules, payload, post, wait: rest, bury, signal: over, log }: CourierDeps) => {
  const say = (line: string) => log(`events: ${subscription().name}: ${line}`);
  const gate = hostGate(rules.hostWaitMs, { signal: over, said: say });

  const attempt = async ({ seq, id }: LogRow): Promise<Attempt> => {
    try {
      // Made anew for each try: what was deleted since is not sent.
      const body = await payload(seq);
      if (body === undefined) return { kind: "failed", reason: "the log does not hold it any more", isFinal: true };
      return await post(subscription(), { id, body });
    } catch (error) {
      // An error of the language comes from what the event is made of; any other one from reading it.
      const name = String(typeof error === "object" && error !== null && Reflect.get(error, "name"));
      if (!OWN_ERRORS.has(name)) return { kind: "unreachable", reason: "the database can't be read" };
      return { kind: "failed", reason: `the event can't be made (${name})`, isFinal: false };
    }
  };

  const giveUp = async ({ seq, id }: LogRow, tries: number, reason: string, signal: AbortSignal): Promise<boolean> => {
    say(`event ${id} is a dead letter after ${tries} ${tries === 1 ? "try" : "tries"}: ${reason}`);
    while (!signal.aborted) {
      try {
        await bury({ subscription_id: subscription().id, seq, event_id: id, tries, reason });
        return true;
      } catch {
        await pause(REST, signal);
      }
    }
    return false;
  };

  /** -> false when the signal ended it: the event is neither delivered nor given up */
  return async (event: LogRow, signal: AbortSignal): Promise<boolean> => {
    let spent = 0;
    for (let tries = 1; ;) {
      await gate.pass(signal);
      if (signal.aborted) return false;
      const began = performance.now();
      const result = await attempt(event);
      if (result.kind === "unreachable") {
        gate.close(result.reason);
        continue;
      }
      gate.open();
      if (result.kind === "accepted") return true;
      if (signal.aborted) return false;
      const wait = result.isFinal ? undefined : rules.retryWaitsMs[tries - 1];
      spent += performance.now() - began + (wait ?? 0);
      if (wait === undefined || spent >= rules.budgetMs) return giveUp(event, tries, result.reason, signal);
      await rest(wait, signal);
      tries += 1;
    }
  };
};
