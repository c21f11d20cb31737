import type { FastifyReply, FastifyRequest } from "fastify";
import type { Guard } from "../allowance/guard.ts";
import { prefersProblem } from "./problem-json.ts";
import { routeOfRefusal, type Observe } from "./record.ts";
import { findingOf, refusalBody } from "./refusal.ts";
import { isTold, tell } from "./standing.ts";

export interface RefusingDeps {
  readonly guard: Guard;
  readonly observe?: Observe | undefined;
  readonly log: (line: string) => void;
}

/** Makes the one way in which an answer says no, whoever threw what. */
export const refusing =
  ({ guard, observe, log }: RefusingDeps) =>
  (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.originalUrl.split("?")[0];
    const finding = findingOf(thrown, (text) => log(`${request.method} ${path} failed: ${text}`));
    if (!isTold(reply)) tell(reply, guard.look(request.ip));
    if (finding.retryAfter !== undefined) reply.raw.setHeader("Retry-After", finding.retryAfter);
    observe?.(routeOfRefusal(request.routeOptions.config.route, finding.problem), finding.problem.status);
    const { type, text } = refusalBody(finding, prefersProblem(request.headers.accept));
    return reply.code(finding.problem.code).header("content-type", type).header("vary", "Accept").send(text);
  };
