import { ROUTING_PROBLEMS, type Problem, MALFORMED_REQUEST, UNAUTHENTICATED } from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import { authenticateChallenge } from "./admission.ts";
import { prefersProblem } from "./problem-json.ts";
import { errorReplyOf, errorReplyBody, type ErrorReply } from "./error-reply.ts";
import { hasRateLimitHeaders, setRateLimitHeaders } from "./rate-limit-headers.ts";

/**
 * Hears of every answer.
 * @shape route: the contract row's, "" for an address that is no endpoint; answer: the success code, or the problem's token
 */
export type ObserveReply = (route: string, answer: string) => void;

/** What says that an address is none is no answer of the endpoint whose pattern it fits. */
const routeOfRefusal = (route: string | undefined, problem: Problem): string =>
  ROUTING_PROBLEMS.some((row) => row.status === problem.status) ? "" : (route ?? "");

/** How long a line that says the same is not said again. @units milliseconds */
const QUIET = 5_000;

/** Says a line, and in a flood of the same only how often it came: what fails for one fails for thousands. */
const sayOnce = (log: (line: string) => void): ((key: string, line: string) => void) => {
  const said = new Map<string, { readonly at: number; count: number }>();
  return (key, line) => {
    const now = performance.now();
    const present = said.get(key);
    if (present && now - present.at < QUIET) {
      present.count++;
      return;
    }
    said.set(key, { at: now, count: 0 });
    log(present?.count ? `${line}\n(and ${present.count} times more since it was said last)` : line);
  };
};

interface RefusingDeps {
  readonly guard: FailedAuthenticationLimit;
  readonly observe?: ObserveReply | undefined;
  readonly log: (line: string) => void;
}

/** The client went away in the middle of its body: nobody's fault here, and nobody reads the answer. */
const isGone = (thrown: unknown, { raw }: FastifyRequest): boolean => thrown !== null && thrown === raw.errored;

/** A refusal comes in two forms, beside whatever the answer depends on already. */
const varyOf = ({ raw }: FastifyReply): string => {
  const present = raw.getHeader("Vary");
  return present === undefined ? "Accept" : `${String(present)}, Accept`;
};

/** Makes the one way in which an answer says no, whoever threw what. */
export const createSendError = ({ guard, observe, log }: RefusingDeps) => {
  const say = sayOnce(log);
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.originalUrl.split("?")[0];
    const finding: ErrorReply = isGone(thrown, request)
      ? { problem: MALFORMED_REQUEST, message: "The request ended before all of it had arrived." }
      : errorReplyOf(thrown, (text, passing) => {
          const line = `${request.method} ${path} failed: ${text}`;
          if (passing === undefined) log(line);
          else say(passing, line);
        });
    const { problem, retryAfter } = finding;
    if (!hasRateLimitHeaders(reply)) setRateLimitHeaders(reply, request.standing ?? guard.look(request.ip));
    // Only where a token was asked for: callbacks of providers are signed, which no scheme of this header names.
    if (problem === UNAUTHENTICATED && request.standing)
      reply.raw.setHeader("WWW-Authenticate", authenticateChallenge(request.headers.authorization));
    if (retryAfter !== undefined) reply.raw.setHeader("Retry-After", retryAfter);
    const { route, addsMessages = false, tellsSuccess = false } = request.routeOptions.config;
    observe?.(routeOfRefusal(route, problem), problem.status);
    const { type, text } = errorReplyBody(finding, {
      asProblem: prefersProblem(request.headers.accept),
      addsMessages,
      tellsSuccess,
    });
    return reply.code(problem.code).header("content-type", type).header("vary", varyOf(reply)).send(text);
  };
};
