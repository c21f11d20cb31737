import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A real server on this machine that records its requests. */
export interface LocalServer {
  readonly port: number;
  readonly origin: string;
  readonly received: ReceivedRequest[];
  connections(): number;
  close(): Promise<void>;
}

export type ReplyToRequest = (request: ReceivedRequest, reply: ServerResponse) => void;

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

export const startLocalServer = async (
  response: ReplyToRequest,
  tls?: { readonly key: string; readonly cert: string },
): Promise<LocalServer> => {
  const received: ReceivedRequest[] = [];
  let connections = 0;
  const listener: RequestListener = (request, reply) => {
    void textOf(request).then(
      (body) => {
        const one = { method: request.method, url: request.url, headers: request.headers, body };
        received.push(one);
        response(one, reply);
      },
      () => reply.destroy(),
    );
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  // Long enough that no idle connection ends while a test counts them.
  server.keepAliveTimeout = 60_000;
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    received,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};
