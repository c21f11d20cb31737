import { IDEMPOTENCY_KEY, INVALID_IDEMPOTENCY_KEY, isIdempotencyKey, refuse } from "@parley/contract";
import type { IncomingHttpHeaders } from "node:http";

const NAME = IDEMPOTENCY_KEY.toLowerCase();

/** The key that a request names itself by; several headers arrive as one with a comma and a space. @errors INVALID_IDEMPOTENCY_KEY */
export const keyIn = (headers: IncomingHttpHeaders): string | undefined => {
  const key = headers[NAME];
  if (key === undefined) return undefined;
  return typeof key === "string" && isIdempotencyKey(key) ? key : refuse(INVALID_IDEMPOTENCY_KEY);
};
