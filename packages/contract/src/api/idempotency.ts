import Type from "typebox";
import { problem } from "../kernel/problem.ts";

/** Request header with the idempotency key. A repeated request with the same key and body gets the recorded response. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";
/** Response header, `true` if the response is the recorded response of an earlier request. */
export const IDEMPOTENCY_REPLAYED = "Idempotency-Replayed";

/** Retention of recorded responses. @units hours @assumed One day: clients retry within that time. */
export const IDEMPOTENCY_RETENTION_HOURS = 24;

/** @assumed 1 to 255 visible ASCII characters, so that no intermediary between client and service alters a key. */
const KEY = /^[!-~]{1,255}$/;
export const IdempotencyKey = Type.String({ pattern: KEY.source });
export const isIdempotencyKey = (text: string): boolean => KEY.test(text);

export const INVALID_IDEMPOTENCY_KEY = problem({
  code: 400,
  status: "INVALID_IDEMPOTENCY_KEY",
  message: "The Idempotency-Key header must hold 1 to 255 visible ASCII characters, without spaces.",
  remedy: "Send a UUID of your own making, one header a request, or leave the header out.",
});
export const IDEMPOTENCY_KEY_IN_USE = problem({
  code: 409,
  status: "IDEMPOTENCY_KEY_IN_USE",
  message: "A request with this Idempotency-Key is still under way. Retry after the time in the Retry-After header.",
  remedy: "Send the same request again, with the same key, after as many seconds as the Retry-After header says.",
});
/** The object that the first request created belonged to a user who has been deleted, and the recorded response was deleted with the user. */
export const KEPT_ANSWER_REMOVED = problem({
  code: 410,
  status: "KEPT_ANSWER_REMOVED",
  message: "The request with this Idempotency-Key was done, and what it made was deleted since.",
  remedy: "Nothing is left to do; to make it once more, send the request with a new key.",
});
export const IDEMPOTENCY_KEY_REUSED = problem({
  code: 422,
  status: "IDEMPOTENCY_KEY_REUSED",
  message: "The Idempotency-Key was sent before with another request.",
  remedy: "Give each request a key of its own; only the same request, to the byte, may be sent again with its key.",
});

/** Additional problems of every endpoint that accepts an idempotency key. */
export const IDEMPOTENCY_PROBLEMS = [INVALID_IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED] as const;
