import { IDEMPOTENCY_KEY } from "@parley/contract";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const NAME = IDEMPOTENCY_KEY.toLowerCase();

/** A request that the server received. */
interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string;
  /** undefined without the header. */
  readonly key: string | undefined;
  readonly body: string;
}

const keyIn = ({ [NAME]: key }: IncomingMessage["headers"]) => (typeof key === "string" ? key : undefined);

/** A real server with one given response per request; the last one is repeated. */
export async function startFakeService(...responses: ((request: IncomingMessage, reply: ServerResponse) => void)[]) {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, reply) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString("latin1")));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      received.push({ method, url, authorization: headers.authorization ?? "", key: keyIn(headers), body });
      responses[Math.min(received.length, responses.length) - 1]?.(request, reply);
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A response in JSON. */
export const jsonReply =
  (code: number, body: unknown, headers: Record<string, string> = {}) =>
  (_: IncomingMessage, reply: ServerResponse) =>
    void reply.writeHead(code, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** A refusal. */
export const refusalReply = (code: number, status: string, headers: Record<string, string> = {}) =>
  jsonReply(code, { code, status, message: "no" }, headers);

/** No response: the connection is closed. */
export const brokenConnection = (request: IncomingMessage) => void request.socket.destroy();
