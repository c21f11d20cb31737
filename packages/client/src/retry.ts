import { setTimeout } from "node:timers/promises";
import { IDEMPOTENCY_KEY_IN_USE } from "@parley/contract";
import type { AxiosResponse } from "axios";
import { isNoAnswerError } from "./no-answer.ts";
import { headersOf } from "./answer.ts";
import { chance, now } from "./ports.ts";

/** Limits of the retries of a call. */
export interface RetryRules {
  /** Maximum number of retries. */
  readonly times: number;
  /** Maximum sum of the pauses of a call; a pause beyond it is not started. @units milliseconds */
  readonly patienceMs: number;
}

export const RETRIES: RetryRules = { times: 3, patienceMs: 60_000 };

/** Statuses that guarantee that nothing was done. */
const NOT_DONE = [429, 503];
/** Statuses of a proxy, after which the outcome is unknown. */
const UNKNOWN = [502, 504];
/**
 * Methods that can be repeated if the outcome is unknown, in addition to calls with an idempotency key. DELETE is excluded: the second
 * one would return 404.
 */
export const isSafeTwice = (method: string): boolean => method === "GET" || method === "PUT";
/** Initial pause without a `Retry-After` header; doubles with each retry. @units milliseconds */
const FIRST_PAUSE = 250;

/** Parses `Retry-After`: seconds or a date. @units milliseconds */
const saidPause = (response: AxiosResponse): number | undefined => {
  const text = headersOf(response)["retry-after"] ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now());
};

/** Exponential backoff with jitter of 50 %: clients that failed together don't retry together. */
const ownPause = (tried: number): number => FIRST_PAUSE * 2 ** tried * (0.5 + chance() / 2);

/** An earlier attempt of the same call is still in progress. */
const isUnderWay = ({ status, data }: AxiosResponse<unknown>): boolean =>
  status === IDEMPOTENCY_KEY_IN_USE.code &&
  (data as { status?: unknown } | null)?.status === IDEMPOTENCY_KEY_IN_USE.status;

const isPassing = (response: AxiosResponse<unknown>, isRepeatable: boolean): boolean =>
  NOT_DONE.includes(response.status) || (isRepeatable && UNKNOWN.includes(response.status)) || isUnderWay(response);

/**
 * Sends a request and retries within the limits.
 * @errors the error of the last attempt
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
