import { failureText, type Log } from "@parley/telemetry";
import { isRefusal, TOO_MANY_REQUESTS, type Problem } from "@parley/contract";
import type { FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route is polled by machines, and its refusals are expected. */
    isProbe?: boolean;
  }
}

/** Duration from which on a request is logged. @assumed @units milliseconds */
const SLOW_REQUEST_MS = 1_000;

const NUMBERS = /\d+/g;

const aboutOf = (request: FastifyRequest) => ({
  part: "requests",
  account: request.caller?.account.name,
  request_id: request.id,
});
const lineOf = ({ method, originalUrl }: FastifyRequest): string => `${method} ${originalUrl.split("?")[0]}`;

/**
 * Leaves a line for each request that was refused because of load or a failure, or was slow, so that its id is found in the log. Lines with
 * one reason count as repetitions of one another, and the count has the ids.
 */
export interface RequestLog {
  /** A request was answered with an error that has no line of its own. */
  refused(thrown: unknown, problem: Problem, request: FastifyRequest): void;
  /** A response has ended. @units durationMs: milliseconds, from the headers of the request */
  ended(request: FastifyRequest, response: EndedResponse, durationMs: number): void;
}

/** @shape writableFinished: false when the client disconnected before */
interface EndedResponse {
  readonly statusCode: number;
  readonly writableFinished: boolean;
}

/** Whether the log has a line about each refusal with the status code. */
const isLogged = ({ code, status }: Problem): boolean => code >= 500 || status === TOO_MANY_REQUESTS.status;

/** @shape slowRequestMs: the default when absent */
export const createRequestLog = (log: Log, slowRequestMs = SLOW_REQUEST_MS): RequestLog => ({
  refused(thrown, problem, request) {
    if (!isLogged(problem) || request.routeOptions.config.isProbe) return;
    const reason = isRefusal(thrown) ? thrown.message : failureText(thrown);
    log(`${lineOf(request)} was refused: ${problem.code} ${problem.status}: ${reason}`, {
      ...aboutOf(request),
      // A client that exceeds its limit is not a failure of the service.
      level: problem.code === TOO_MANY_REQUESTS.code ? "info" : "warn",
      key: `${problem.status} ${reason.replaceAll(NUMBERS, "0")}`,
    });
  },
  ended(request, { statusCode, writableFinished }, durationMs) {
    const { route } = request.routeOptions.config;
    // Refusals have their line. Time of other addresses is that of downloads.
    if (durationMs < slowRequestMs || route === undefined || statusCode >= 500) return;
    const outcome = writableFinished ? String(statusCode) : "no response, because the client disconnected";
    log(`${lineOf(request)} took ${(durationMs / 1_000).toFixed(1)} s: ${outcome}`, {
      ...aboutOf(request),
      level: "warn",
      key: `slow ${route}`,
    });
  },
});
