import { Refusal, SERVICE_UNAVAILABLE, type Endpoint } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/**
 * Time after which a write gets 503 although its outcome is not known, for example while the only synchronous replica of PostgreSQL is gone.
 * A client waits less than eight seconds. @units milliseconds @assumed
 */
const WAIT_MS_MAX = 7_000;
/** @units milliseconds */
const CHECK_INTERVAL_MS = 250;
const CHECKS_MAX = WAIT_MS_MAX / CHECK_INTERVAL_MS;
/** Retry-After of the 503. @units seconds */
const RETRY_AFTER_S = 1;

const OVERDUE =
  "The database has not confirmed the write in time. It may still be done: repeat the request with the same Idempotency-Key, or look whether it was done.";

declare module "fastify" {
  interface FastifyRequest {
    /** How long its admission took: that time is not left for its handler. @units intervals of checks */
    admissionChecks: number;
  }
}

/** A request that waits for its reply, until it is answered. */
interface WaitingRequest {
  /** Number of the check at which it is overdue. */
  readonly overdueAt: number;
  open: { readonly request: FastifyRequest; readonly reply: FastifyReply } | undefined;
}

/** Bounds the time that a request waits for the database. The work itself goes on, and its reply is recorded for the request's idempotency key. */
export interface AnswerDeadline {
  /** How many checks there have been: their number measures time. */
  checksDone(): number;
  /** Begins when the body of a request has arrived. */
  begin(request: FastifyRequest, reply: FastifyReply): WaitingRequest;
  end(waiting: WaitingRequest): void;
}

/** Whether the endpoint writes, and its body arrives at once. Reads end with the time of their statement; uploads depend on the client. */
export const hasDeadline = ({ route, upload, reply }: Endpoint): boolean =>
  !route.startsWith("GET ") && upload === undefined && !("type" in reply);

interface AnswerDeadlineDeps {
  readonly sendError: (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;
}

export function createAnswerDeadline(app: FastifyInstance, { sendError }: AnswerDeadlineDeps): AnswerDeadline {
  // Requests are only added; each check removes those that are answered. A set, with a closure for each request, cost 7 % of a write's CPU time.
  let waiting: WaitingRequest[] = [];
  // Counted in place of a clock: while the process is suspended, it can't receive what the database answers.
  let checks = 0;
  const check = () => {
    checks += 1;
    waiting = waiting.filter(({ open, overdueAt }) => {
      if (!open) return false;
      if (overdueAt > checks) return true;
      if (!open.reply.sent)
        sendError(new Refusal(SERVICE_UNAVAILABLE, OVERDUE, RETRY_AFTER_S), open.request, open.reply);
      return false;
    });
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
  app.addHook("onClose", (_, done) => {
    clearInterval(timer);
    done();
  });
  app.decorateRequest("admissionChecks", 0);
  return {
    checksDone: () => checks,
    begin(request, reply) {
      const begun = { overdueAt: checks + CHECKS_MAX - request.admissionChecks, open: { request, reply } };
      waiting.push(begun);
      return begun;
    },
    end(answered) {
      // Until the next check the list still has the entry, which must not keep the request in memory.
      answered.open = undefined;
    },
  };
}
