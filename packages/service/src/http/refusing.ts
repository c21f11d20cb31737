import { MALFORMED_REQUEST, UNAUTHENTICATED } from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Guard } from "../allowance/guard.ts";
import { challengeTo } from "./admission.ts";
import { prefersProblem } from "./problem-json.ts";
import { routeOfRefusal, type Observe } from "./record.ts";
import { sayOnce } from "./repeated.ts";
import { findingOf, refusalBody, type Finding } from "./refusal.ts";
import { isTold, tell } from "./standing.ts";

export interface RefusingDeps {
  readonly guard: Guard;
  readonly observe?: Observe | undefined;
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
export const refusing = ({ guard, observe, log }: RefusingDeps) => {
  const say = sayOnce(log);
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.originalUrl.split("?")[0];
    const finding: Finding = isGone(thrown, request)
      ? { problem: MALFORMED_REQUEST, message: "The request ended before all of it had arrived." }
      : findingOf(thrown, (text, passing) => {
          const line = `${request.method} ${path} failed: ${text}`;
          if (passing === undefined) log(line);
          else say(passing, line);
        });
    const { problem, retryAfter } = finding;
    if (!isTold(reply)) tell(reply, request.standing ?? guard.look(request.ip));
    // Only where a token was asked for: callbacks of providers are signed, which no scheme of this header names.
    if (problem === UNAUTHENTICATED && request.standing)
      reply.raw.setHeader("WWW-Authenticate", challengeTo(request.headers.authorization));
    if (retryAfter !== undefined) reply.raw.setHeader("Retry-After", retryAfter);
    const { route, addsMessages = false, tellsSuccess = false } = request.routeOptions.config;
    observe?.(routeOfRefusal(route, problem), problem.status);
    const { type, text } = refusalBody(finding, {
      asProblem: prefersProblem(request.headers.accept),
      addsMessages,
      tellsSuccess,
    });
    return reply.code(problem.code).header("content-type", type).header("vary", varyOf(reply)).send(text);
  };
};
