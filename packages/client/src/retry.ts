import { setTimeout as wait } from "node:timers/promises";
import type { AxiosResponse } from "axios";
import { isNoAnswerError } from "./no-answer.ts";
import { headersOf } from "./answer.ts";
import { chance, now } from "./ports.ts";

/** How patient a call is. */
export interface RetryRules {
  /** Tries after the first one. */
  readonly times: number;
  /** All pauses of a call together; a longer one is not begun. @units milliseconds */
  readonly patienceMs: number;
}

export const RETRIES: RetryRules = { times: 3, patienceMs: 60_000 };

/** The service says of them that nothing was done. */
const NOT_DONE = [429, 503];
/** What may be sent twice when nobody knows whether it arrived. A second DELETE would be told that there is nothing. */
const REPEATABLE: readonly string[] = ["GET", "PUT"];
/** The first pause where nobody says how long; it doubles. @units milliseconds */
const FIRST_PAUSE = 250;

/** `Retry-After: 12` or a date. @units milliseconds */
const saidPause = (response: AxiosResponse): number | undefined => {
  const text = headersOf(response)["retry-after"] ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now());
};

/** Half of it for certain, the other half by chance: those who failed together do not come back together. */
const ownPause = (tried: number): number => FIRST_PAUSE * 2 ** tried * (0.5 + chance() / 2);

const isLost = (error: unknown, method: string): boolean =>
  isNoAnswerError(error) && error.lost && REPEATABLE.includes(method);

/**
 * Sends until it is answered with something else than "not now", as often and as long as the rules say.
 * @errors what the last try failed with
 */
export async function sendPatiently(
  send: () => Promise<AxiosResponse<unknown>>,
  { method, rules, signal }: { method: string; rules: RetryRules; signal: AbortSignal | undefined },
): Promise<AxiosResponse<unknown>> {
  let waited = 0;
  for (let tried = 0; ; tried++) {
    let response: AxiosResponse<unknown> | undefined;
    let failure: unknown;
    try {
      response = await send();
      if (!NOT_DONE.includes(response.status)) return response;
    } catch (error) {
      if (!isLost(error, method)) throw error;
      failure = error;
    }
    const pause = (response && saidPause(response)) ?? ownPause(tried);
    waited += pause;
    if (tried >= rules.times || waited > rules.patienceMs) {
      if (response) return response;
      throw failure;
    }
    await wait(pause, undefined, signal ? { signal } : {});
  }
}
