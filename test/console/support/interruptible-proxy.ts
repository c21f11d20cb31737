import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A proxy for http that can be interrupted, as a network is: browsers keep open connections when a test turns them offline. */
export interface InterruptibleProxy {
  readonly origin: string;
  /** Ends all connections, and refuses new connections. */
  interrupt(): void;
  /** Keeps all connections open and passes nothing on any more, in neither direction: neither side learns of it. */
  silence(): void;
  restore(): void;
  close(): Promise<void>;
}

export const interruptibleProxy = async (): Promise<InterruptibleProxy> => {
  let isInterrupted = false;
  let isSilent = false;
  const sockets = new Set<Socket>();
  const forward = (incoming: IncomingMessage, reply: ServerResponse): void => {
    if (isSilent) return;
    const { method, headers, url = "" } = incoming;
    const outgoing = request(url, { method, headers }, (response) => {
      reply.writeHead(response.statusCode ?? 502, response.headers);
      response.on("data", (chunk: Buffer) => isSilent || reply.write(chunk));
      response.on("end", () => isSilent || reply.end());
      response.on("error", () => reply.destroy());
    });
    outgoing.on("error", () => reply.destroy());
    reply.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  };
  const server = createServer(forward);
  server.on("connection", (socket: Socket) => {
    if (isInterrupted) return socket.destroy();
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    interrupt() {
      isInterrupted = true;
      for (const socket of sockets) socket.destroy();
    },
    silence: () => void (isSilent = true),
    restore() {
      isInterrupted = false;
      if (!isSilent) return;
      isSilent = false;
      // What was swallowed is missing.
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
