import { setTimeout } from "node:timers/promises";
import { IDEMPOTENCY_KEY_IN_USE } from "@parley/contract";
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
/** Somebody between here and the service doesn't know whether it was. */
const UNKNOWN = [502, 504];
/**
 * What may be sent twice when nobody knows whether it arrived, besides what has a key. A second DELETE would be told that there is
 * nothing.
 */
export const isSafeTwice = (method: string): boolean => method === "GET" || method === "PUT";
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

/** An earlier try of the same call is still under way. */
const isUnderWay = ({ status, data }: AxiosResponse<unknown>): boolean =>
  status === IDEMPOTENCY_KEY_IN_USE.code &&
  (data as { status?: unknown } | null)?.status === IDEMPOTENCY_KEY_IN_USE.status;

const isPassing = (response: AxiosResponse<unknown>, isRepeatable: boolean): boolean =>
  NOT_DONE.includes(response.status) || (isRepeatable && UNKNOWN.includes(response.status)) || isUnderWay(response);

/**
 * Sends until it is answered with something else than "not now", as often and as long as the rules say.
 * @errors what the last try failed with
 */
export async function sendPatiently(
  send: () => Promise<AxiosResponse<unknown>>,
  { isRepeatable, rules, signal }: { isRepeatable: boolean; rules: RetryRules; signal: AbortSignal | undefined },
): Promise<AxiosResponse<unknown>> {
  let waited = 0;
  for (let tried = 0; ; tried++) {
    let response: AxiosResponse<unknown> | undefined;
    let failure: unknown;
    try {
      response = await send();
      if (!isPassing(response, isRepeatable)) return response;
    } catch (error) {
      if (!isRepeatable || !isNoAnswerError(error) || !error.lost) throw error;
      failure = error;
    }
    const pause = (response && saidPause(response)) ?? ownPause(tried);
    waited += pause;
    if (tried >= rules.times || waited > rules.patienceMs) {
      if (response) return response;
      throw failure;
    }
    await setTimeout(pause, undefined, signal ? { signal } : {});
  }
}
