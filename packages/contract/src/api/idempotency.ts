import Type from "typebox";
import { problem } from "../kernel/problem.ts";

/** The request's header that names it: sent again with the same key and body, it is answered as the first time. */
export const IDEMPOTENCY_KEY = "Idempotency-Key";
/** The answer's header, `true` where it is the answer of an earlier request. */
export const IDEMPOTENCY_REPLAYED = "Idempotency-Replayed";

/** Hours that an answer is kept. @assumed A day: whoever tries again does so by then. */
export const IDEMPOTENCY_HOURS = 24;

/** @assumed 1 to 255 characters of visible ASCII, so that a key is the same to all that stands between client and service. */
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
/** What the first request made belonged to a user who was deleted since, and the answer went with the user. */
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

/** What every endpoint that takes a key can answer with besides. */
export const EVERY_KEYED = [INVALID_IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED] as const;
