import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { ACCEPT_QUEUE_LENGTH, boundConnections, requestTimeouts } from "@parley/ingress";

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server of the platform. */
interface PlatformServer {
  readonly port: number;
  readonly server: Server;
  /** Accepts no more connections, and closes them when their responses are sent, or after two seconds. */
  close(): Promise<void>;
}

/** Maximum time that a close waits for responses. @units milliseconds */
const DRAIN_MS = 2_000;

/** Opens a server. @shape listens: false: connections come by `emitConnection` only @errors errors of the port */
export async function openPlatformServer(
  handle: RequestHandler,
  { port, host, listens = true }: { readonly port: number; readonly host: string; readonly listens?: boolean },
): Promise<PlatformServer> {
  const server = createServer(requestTimeouts(), handle);
  boundConnections(server);
  if (listens)
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, host, backlog: ACCEPT_QUEUE_LENGTH }, resolve);
    });
  // Node starts checking request timeouts on this event, which is not emitted without a listener.
  else server.emit("listening");
  let closed: Promise<void> | undefined;
  const close = async () => {
    const drained = new Promise<void>((resolve) => (listens ? server.close(() => resolve()) : resolve()));
    server.closeIdleConnections();
    await Promise.race([drained, setTimeout(DRAIN_MS, undefined, { ref: false })]);
    // A browser keeps a connection alive whose response was sent after the close.
    server.closeAllConnections();
    await drained;
  };
  return {
    port: listens ? (server.address() as AddressInfo).port : port,
    server,
    close: () => (closed ??= close()),
  };
}

/** The server for requests that other processes of the platform pass on. @shape origin: at which they reach it */
export const openInternalServer = async (
  handle: RequestHandler,
  host = "127.0.0.1",
): Promise<{ readonly origin: string; close(): Promise<void> }> => {
  const server = await openPlatformServer(handle, { port: 0, host });
  return { origin: `http://${host.includes(":") ? `[${host}]` : host}:${server.port}`, close: () => server.close() };
};
