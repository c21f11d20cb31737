import { once } from "node:events";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline, Transform } from "node:stream";
import type { BucketPlace } from "../../../src/base/objects/bucket-settings.ts";

/** What happens to one request. `pass`: it is forwarded. */
export type Fault =
  | "pass"
  /** The connection ends without a reply, after the request has arrived. */
  | "reset"
  /** The connection ends after the first bytes of the request's body. */
  | "reset early"
  /** No reply. */
  | "silence"
  /** The request is forwarded, and the connection ends before the reply. */
  | "lost reply"
  /** The connection ends after half of the reply. */
  | "half reply"
  /** The reply stops after half of it, and the connection stays. */
  | "stalled reply"
  /** A reply with this status and error code. */
  | { readonly status: number; readonly code?: string };

export interface FaultProxy {
  /** The same bucket, reached by the proxy. */
  readonly place: BucketPlace;
  /** Faults of the next requests; afterwards they are passed on. */
  next(...faults: readonly Fault[]): void;
  /** A fault of all requests until it is replaced. */
  always(fault: Fault): void;
  /** Methods and paths of the requests since the last call. */
  taken(): string[];
  close(): Promise<void>;
}

/** Passes half of the bytes, then ends or stops. */
const half = (reply: IncomingMessage, response: ServerResponse, stops: boolean): void => {
  let left = Math.floor(Number(reply.headers["content-length"]) / 2);
  const cut = new Transform({
    transform(chunk: Buffer, _, done) {
      const part = chunk.subarray(0, left);
      left -= part.byteLength;
      if (left > 0) return done(null, part);
      this.push(part);
      if (!stops) setImmediate(() => response.destroy());
    },
  });
  pipeline(reply, cut, response, () => undefined);
};

/** Forwards requests to a storage, except for the faults that a test asks for. */
export async function startFaultProxy(place: BucketPlace): Promise<FaultProxy> {
  const target = new URL(place.endpoint);
  const queue: Fault[] = [];
  let standing: Fault = "pass";
  const taken: string[] = [];
  const forward = (incoming: IncomingMessage, response: ServerResponse, fault: Fault) => {
    const { method, url: path, headers } = incoming;
    const out = request({ host: target.hostname, port: target.port, method, path, headers }, (reply) => {
      if (fault === "lost reply") {
        reply.resume().once("end", () => incoming.destroy());
        return;
      }
      response.writeHead(reply.statusCode ?? 0, reply.headers);
      if (fault === "half reply" || fault === "stalled reply") half(reply, response, fault === "stalled reply");
      else pipeline(reply, response, () => undefined);
    });
    pipeline(incoming, out, () => undefined);
    out.on("error", () => response.destroy());
  };
  const server = createServer((incoming, response) => {
    taken.push(`${incoming.method} ${incoming.url}`);
    const fault = queue.shift() ?? standing;
    if (fault === "reset early") return void incoming.once("data", () => incoming.destroy());
    if (fault === "reset") return void incoming.resume().once("end", () => incoming.destroy());
    if (fault === "silence") return void incoming.resume();
    if (typeof fault === "string") return forward(incoming, response, fault);
    incoming.resume().once("end", () => {
      response.writeHead(fault.status, { "content-type": "application/xml" });
      response.end(fault.code && `<Error><Code>${fault.code}</Code><Message>As the test asks.</Message></Error>`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    place: { ...place, endpoint: `http://127.0.0.1:${port}` },
    next: (...faults) => void queue.push(...faults),
    always: (fault) => void (standing = fault),
    taken: () => taken.splice(0),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
