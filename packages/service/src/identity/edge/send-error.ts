import type { Server } from "node:http";
import type { Socket } from "node:net";
import {
  EXPECTATION_FAILED,
  HEADERS_TOO_LARGE,
  MALFORMED_REQUEST,
  METHOD_NOT_ALLOWED,
  REQUEST_TIMEOUT,
  ROUTING_PROBLEMS,
  UNAUTHENTICATED,
  type Problem,
} from "@parley/contract";
import type { Log, Metrics } from "@parley/telemetry";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import { authenticateChallenge } from "./failed-authentication.ts";
import { prefersProblem, errorReplyOf, errorReplyBody, type ErrorReply } from "./error-reply.ts";
import { REQUEST_ID_HEADER } from "./request-id.ts";
import type { RequestLog } from "./request-log.ts";
import { hasRateLimitHeaders, rateLimitHeaders, setRateLimitHeaders } from "./rate-limit-headers.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Errors of the route are answered with a page for people in place of JSON. */
    errorPage?: (refusal: ErrorReply) => { readonly headers: Readonly<Record<string, string>>; readonly text: string };
  }
}

/**
 * Called for every reply.
 * @shape route: the route of the contract row, "" for an address without an endpoint; answer: the success code, or the problem's token
 */
export type ObserveReply = (route: string, answer: string) => void;

/** A refusal because of an unknown address doesn't belong to the endpoint whose pattern matched. */
const routeOfRefusal = (route: string | undefined, problem: Problem): string =>
  ROUTING_PROBLEMS.some((row) => row.status === problem.status) ? "" : (route ?? "");

interface SendErrorDeps {
  readonly metrics: Metrics;
  readonly guard: FailedAuthenticationLimit;
  readonly observe?: ObserveReply | undefined;
  readonly requestLog: Pick<RequestLog, "refused">;
  readonly log: Log;
}

/** The client disconnected while it sent the body. The error is not logged, and the reply is not read. */
const isClientGone = (thrown: unknown, { raw }: FastifyRequest): boolean => thrown !== null && thrown === raw.errored;

/** An error body depends on the Accept header, in addition to the headers that are already in Vary. */
const varyOf = ({ raw }: FastifyReply): string => {
  const present = raw.getHeader("Vary");
  return present === undefined ? "Accept" : `${String(present)}, Accept`;
};

/** Creates the handler of all thrown errors. */
export const createSendError = ({ guard, observe, metrics, requestLog, log }: SendErrorDeps) => {
  const countRefusal = metrics.counter("parley_http_refusals_total");
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.originalUrl.split("?")[0];
    let isLogged = false;
    const errorReply: ErrorReply = isClientGone(thrown, request)
      ? { problem: MALFORMED_REQUEST, message: "The request ended before all of it had arrived." }
      : errorReplyOf(thrown, (text, temporaryKey) => {
          const account = request.caller?.account.name;
          const about = { account, request_id: request.id, key: temporaryKey };
          isLogged = true;
          log(`${request.method} ${path} failed: ${text}`, { level: "error", ...about });
        });
    const { problem, retryAfter } = errorReply;
    if (!isLogged) requestLog.refused(thrown, problem, request);
    // An address that is not valid is refused before the hooks.
    reply.raw.setHeader(REQUEST_ID_HEADER, request.id);
    if (!hasRateLimitHeaders(reply)) setRateLimitHeaders(reply, request.rateLimit ?? guard.state(request.ip));
    // Only if an access token was required: callbacks of providers are signed, and no scheme of this header describes signatures.
    if (problem === UNAUTHENTICATED && request.rateLimit)
      reply.raw.setHeader("WWW-Authenticate", authenticateChallenge(request.headers.authorization));
    if (retryAfter !== undefined) reply.raw.setHeader("Retry-After", retryAfter);
    const { route, addsMessages = false, reportsSuccess = false, errorPage } = request.routeOptions.config;
    observe?.(routeOfRefusal(route, problem), problem.status);
    countRefusal({ status: problem.status });
    if (errorPage) {
      const page = errorPage(errorReply);
      return reply.code(problem.code).headers(page.headers).send(page.text);
    }
    const { type, text } = errorReplyBody(errorReply, {
      asProblem: prefersProblem(request.headers.accept),
      addsMessages,
      reportsSuccess,
    });
    return reply.code(problem.code).header("content-type", type).header("vary", varyOf(reply)).send(text);
  };
};

/** Node's error codes of invalid requests. */
const BY_CODE: Readonly<Record<string, Problem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: REQUEST_TIMEOUT,
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
};

/** Writes the usual error replies directly to a socket, without a request, and closes it. */
export function createSocketErrorHandlers({ guard, observe }: Pick<SendErrorDeps, "guard" | "observe">) {
  const sendProblem = (
    socket: Socket,
    problem: Problem,
    headers: readonly (readonly [string, string | number])[] = [],
  ) => {
    if (socket.destroyed || !socket.writable) return;
    const { type, text } = errorReplyBody({ problem, message: problem.message });
    const lines = [
      ["Content-Type", type],
      ...rateLimitHeaders(guard.state(socket.remoteAddress ?? "")),
      ...headers,
      ["Content-Length", Buffer.byteLength(text)],
      ["Connection", "close"],
    ];
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    observe?.("", problem.status);
    socket.end(`HTTP/1.1 ${problem.code} ${problem.status}\r\n${head}\r\n${text}`);
  };

  return {
    /** Data that is not a valid request. */
    clientError: (error: Error & { code?: string }, socket: Socket): void => {
      if (error.code !== "ECONNRESET") sendProblem(socket, BY_CODE[error.code ?? ""] ?? MALFORMED_REQUEST);
    },
    /** Handles requests that Node would answer without a body or not at all. */
    listen(server: Server): void {
      server.on("connect", (_, socket) =>
        sendProblem(socket as Socket, METHOD_NOT_ALLOWED, [["Allow", "GET, HEAD, POST, PUT, PATCH, DELETE"]]),
      );
      server.on("checkExpectation", ({ socket }) => sendProblem(socket, EXPECTATION_FAILED));
    },
  };
}
