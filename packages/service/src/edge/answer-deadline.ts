import { Refusal, SERVICE_UNAVAILABLE, type Endpoint } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/**
 * Time after which a write gets 503 although its outcome is not known, for example while the only synchronous replica of PostgreSQL is gone.
 * A client waits less than eight seconds. @units milliseconds @assumed
 */
const WAIT_MAX_MS = 7_000;
/** @units milliseconds */
const CHECK_INTERVAL_MS = 250;
const CHECKS_MAX = WAIT_MAX_MS / CHECK_INTERVAL_MS;
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

/** Bounds the time that a request waits for the database. The work itself goes on, and its reply is recorded for the request's idempotency key. */
export interface AnswerDeadline {
  /** Begins when a request has arrived. -> ends its admission */
  beginAdmission(): (request: FastifyRequest) => void;
  /** Begins when its body has arrived. -> ends the supervision */
  begin(request: FastifyRequest, reply: FastifyReply): () => void;
}

/** Whether the endpoint writes, and its body arrives at once. Reads end with the time of their statement; uploads depend on the client. */
export const hasDeadline = ({ route, upload, reply }: Endpoint): boolean =>
  !route.startsWith("GET ") && upload === undefined && !("type" in reply);

interface AnswerDeadlineDeps {
  readonly sendError: (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => unknown;
}

interface WaitingRequest {
  readonly lastCheck: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function createAnswerDeadline(app: FastifyInstance, { sendError }: AnswerDeadlineDeps): AnswerDeadline {
  const waiting = new Set<WaitingRequest>();
  // Counted in place of a clock: while the process is suspended, it can't receive what the database answers.
  let checks = 0;
  const check = () => {
    checks += 1;
    for (const entry of waiting) {
      if (entry.lastCheck > checks) continue;
      waiting.delete(entry);
      const { request, reply } = entry;
      if (!reply.sent) sendError(new Refusal(SERVICE_UNAVAILABLE, OVERDUE, RETRY_AFTER_S), request, reply);
    }
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref();
  app.addHook("onClose", (_, done) => {
    clearInterval(timer);
    done();
  });
  app.decorateRequest("admissionChecks", 0);
  return {
    beginAdmission() {
      const begun = checks;
      return (request) => void (request.admissionChecks = checks - begun);
    },
    begin(request, reply) {
      const entry = { lastCheck: checks + CHECKS_MAX - request.admissionChecks, request, reply };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
  };
}
