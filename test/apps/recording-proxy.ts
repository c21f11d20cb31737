import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the browser sent it, with the status of its response. */
export interface RecordedRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  status: number;
}

/** A proxy between a browser and this machine that records every request, for any host name and port. */
export interface RecordingProxy {
  /** Arguments of a browser that uses it, also for localhost. */
  readonly browserArguments: readonly string[];
  readonly requests: RecordedRequest[];
  close(): Promise<void>;
}

/** Starts the proxy. It connects to the loopback address only; other requests are recorded and get 502. */
export const startRecordingProxy = async (): Promise<RecordingProxy> => {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const { hostname, port, pathname, search, host } = new URL(incoming.url ?? "");
    const record: RecordedRequest = {
      method: incoming.method ?? "",
      host,
      path: pathname + search,
      headers: incoming.headers,
      status: 0,
    };
    requests.push(record);
    const isLocal = hostname === "127.0.0.1" || hostname === "localhost" || hostname.endsWith(".localhost");
    if (!isLocal) return void outgoing.writeHead((record.status = 502)).end();
    const { "proxy-connection": _, ...headers } = incoming.headers;
    const target = { host: "127.0.0.1", port, method: record.method, path: record.path, headers, agent: false };
    const forwarded = request(target, (reply) => {
      record.status = reply.statusCode ?? 0;
      outgoing.writeHead(record.status, reply.headers);
      reply.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    return void incoming.pipe(forwarded);
  });
  server.on("connect", (_request, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    browserArguments: [`--proxy-server=http://127.0.0.1:${port}`, "--proxy-bypass-list=<-loopback>"],
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
