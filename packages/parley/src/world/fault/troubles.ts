import type { IncomingMessage } from "node:http";
import { INTERNAL_SERVER_ERROR, Refusal, SERVICE_UNAVAILABLE, TOO_MANY_REQUESTS } from "@parley/contract";
import type { IncomingFault } from "./faults.ts";

type Refused = Extract<IncomingFault["rest"], { kind: "status" }>;

const PROBLEMS = { 429: TOO_MANY_REQUESTS, 500: INTERNAL_SERVER_ERROR, 503: SERVICE_UNAVAILABLE };

/** What the service is to refuse requests with, so that the answer is one of its own. */
export const troubles = () => {
  const planned = new WeakMap<IncomingMessage, Refusal>();
  return {
    plan: (request: IncomingMessage, { status, retryAfter }: Refused): void => {
      planned.set(request, new Refusal(PROBLEMS[status], undefined, status === 500 ? undefined : retryAfter));
    },
    of: (request: IncomingMessage): Refusal | undefined => planned.get(request),
  };
};
