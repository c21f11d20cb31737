import { WIRE } from "./contract-values.ts";
import type { HttpReply } from "./http-exchange.ts";
import { isNoAnswerError } from "./no-answer.ts";
import { delay, now, random } from "./ports.ts";

/** Limits of the retries of a call. */
export interface RetryRules {
  /** Maximum number of retries. */
  readonly maxRetries: number;
  /** Maximum sum of the pauses of a call; a pause beyond it is not started. @units milliseconds */
  readonly maxTotalDelayMs: number;
}

export const defaultRetryRules: RetryRules = { maxRetries: 3, maxTotalDelayMs: 60_000 };

/** Timeout of one attempt. @units milliseconds */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** Statuses that guarantee that nothing was done. */
const UNPROCESSED_STATUSES = [429, 503];
/** Statuses of a proxy, after which the outcome is unknown. */
const UNKNOWN_OUTCOME_STATUSES = [502, 504];
/**
 * Methods that can be repeated if the outcome is unknown, in addition to calls with an idempotency key. DELETE is excluded: the second
 * one would return 404.
 */
export const isRepeatableMethod = (method: string): boolean => method === "GET" || method === "PUT";
/** Initial pause without a `Retry-After` header; doubles with each retry. @units milliseconds */
const INITIAL_DELAY_MS = 250;

/** Parses `Retry-After`: seconds or a date. @units milliseconds */
export const retryAfterMs = (headers: HttpReply["headers"]): number | undefined => {
  const text = headers["retry-after"] ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now());
};

/** Exponential backoff with jitter of 50 %: clients that failed together don't retry together. */
const backoffMs = (retries: number): number => INITIAL_DELAY_MS * 2 ** retries * (0.5 + random() / 2);

/** An earlier attempt of the same call is still in progress. */
const isInProgress = ({ status, data }: HttpReply): boolean =>
  status === WIRE.keyInUse.code && (data as { status?: unknown } | null)?.status === WIRE.keyInUse.status;

const isRetryable = (response: HttpReply, isRepeatable: boolean): boolean =>
  UNPROCESSED_STATUSES.includes(response.status) ||
  (isRepeatable && UNKNOWN_OUTCOME_STATUSES.includes(response.status)) ||
  isInProgress(response);

/**
 * Sends a request and retries within the limits.
 * @errors the error of the last attempt
 */
export async function sendWithRetries(
  send: () => Promise<HttpReply>,
  { isRepeatable, rules, signal }: { isRepeatable: boolean; rules: RetryRules; signal: AbortSignal | undefined },
): Promise<HttpReply> {
  let totalDelayMs = 0;
  for (let retries = 0; ; retries++) {
    let response: HttpReply | undefined;
    let failure: unknown;
    try {
      response = await send();
      if (!isRetryable(response, isRepeatable)) return response;
    } catch (error) {
      if (!isRepeatable || !isNoAnswerError(error) || !error.lost) throw error;
      failure = error;
    }
    const delayMs = (response && retryAfterMs(response.headers)) ?? backoffMs(retries);
    totalDelayMs += delayMs;
    if (retries >= rules.maxRetries || totalDelayMs > rules.maxTotalDelayMs) {
      if (response) return response;
      throw failure;
    }
    await delay(delayMs, signal);
  }
}
