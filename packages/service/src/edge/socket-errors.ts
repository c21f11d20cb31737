import type { Server } from "node:http";
import type { Socket } from "node:net";
import {
  EXPECTATION_FAILED,
  HEADERS_TOO_LARGE,
  MALFORMED_REQUEST,
  METHOD_NOT_ALLOWED,
  REQUEST_TIMEOUT,
  type Problem,
} from "@parley/contract";
import type { FailedAuthenticationLimit } from "../allowance/failed-authentication.ts";
import type { ObserveReply } from "./send-error.ts";
import { errorReplyBody } from "./error-reply.ts";
import { rateLimitHeaders } from "./rate-limit-headers.ts";

/** Node's error codes of invalid requests. */
const BY_CODE: Readonly<Record<string, Problem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: REQUEST_TIMEOUT,
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
};

/** Writes the usual error replies directly to a socket, without a request, and closes it. */
export function createSocketErrorHandlers({
  guard,
  observe,
}: {
  guard: FailedAuthenticationLimit;
  observe?: ObserveReply | undefined;
}) {
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
