import type { Socket } from "node:net";
import { HEADERS_TOO_LARGE, MALFORMED_REQUEST, REQUEST_TIMEOUT, type Problem } from "@parley/contract";
import { refusalBody } from "./refusal.ts";

/** How Node names what is no request. */
const BY_CODE: Readonly<Record<string, Problem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: REQUEST_TIMEOUT,
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
};

/** Answers on a connection whose bytes are no request, in the shape of every other refusal, and closes it. */
export function refuseClient(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) return;
  const problem = BY_CODE[error.code ?? ""] ?? MALFORMED_REQUEST;
  const body = refusalBody({ problem, message: problem.message });
  socket.end(
    `HTTP/1.1 ${problem.code} ${problem.status}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
