import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { boundConnections } from "@parley/ingress";
import { plainUrl, serverOptions } from "@parley/service";
import type { IncomingFault } from "../fault/faults.ts";

/** The address of a local instance. It outlives the service behind it: what comes while there is none waits. */
export interface TrafficGate {
  readonly port: number;
  /** Holds back what comes from now on; resolves when what was let in has ended, or was cut off. */
  shut(): Promise<void>;
  /** Lets in, to the server of a service that doesn't listen itself; what waited comes first. */
  open(server: Server): void;
  /** Adds addresses that are answered whether it is open or shut. */
  addAside(aside: ExemptRoute): void;
  /** Takes no more. */
  close(): Promise<void>;
}

interface ExemptRoute {
  readonly server: Server;
  isBelow(path: string): boolean;
}

interface TrafficGateOptions {
  /** 0: any free one. */
  readonly port: number;
  readonly faults: (request: { readonly method: string; readonly path: string }) => IncomingFault | undefined;
  /** Says what the service is to refuse the request with. */
  readonly refuse: (request: IncomingMessage, fault: Extract<IncomingFault["rest"], { kind: "status" }>) => void;
}

type Guest = readonly [request: IncomingMessage, response: ServerResponse];

const LOOPBACK = "127.0.0.1";
/** How long requests under way may hold up a close. @units milliseconds */
const PATIENCE = 3_000;
/** Between two looks for connections that became idle. @units milliseconds */
const LOOK = 50;

/** An answer that goes on would hold up everybody until it is cut off; its reader comes again, and goes on where it was. */
const endStreams = (responses: Iterable<ServerResponse>): void => {
  for (const response of responses) {
    if (response.writableEnded || response.getHeader("content-type") !== "text/event-stream") continue;
    if (response.writableNeedDrain) response.destroy();
    else response.end();
  }
};

/** The answer goes nowhere, and the connection with it. */
const drop = (response: ServerResponse): void => {
  const end = () => {
    response.destroy();
    return response;
  };
  Object.assign(response, { writeHead: () => response, flushHeaders: () => undefined, write: () => true, end });
};

/** @errors what listening on the port failed with */
export async function openTrafficGate({ port, faults, refuse }: TrafficGateOptions): Promise<TrafficGate> {
  const outer = createServer(serverOptions());
  const underWay = new Set<ServerResponse>();
  const waiting: Guest[] = [];
  let aside: ExemptRoute | undefined;
  let inner: Server | undefined;
  let isOpen = false;

  const letIn = ([request, response]: Guest): void => {
    if (response.destroyed || request.destroyed) return;
    if (!isOpen || !inner) return void waiting.push([request, response]);
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
    inner.emit("request", request, response);
  };

  const receive = async ([request, response]: Guest): Promise<void> => {
    const path = plainUrl(request.url ?? "/").split("?")[0] ?? "/";
    if (aside?.isBelow(path)) return void aside.server.emit("request", request, response);
    const fault = path.startsWith("/admin") ? undefined : faults({ method: request.method ?? "GET", path });
    if (fault === undefined) return letIn([request, response]);
    if (fault.ms > 0) await wait(fault.ms, undefined, { ref: false });
    if (fault.rest?.kind === "drop") {
      if (fault.rest.when === "before") return void request.socket.destroy();
      drop(response);
    } else if (fault.rest) refuse(request, fault.rest);
    letIn([request, response]);
  };

  outer.on("request", (request, response) => void receive([request, response]));
  boundConnections(outer);
  // What is no request is answered the same way, by whoever answered last.
  for (const event of ["clientError", "connect", "checkExpectation"])
    outer.on(event, (...said: unknown[]) => void inner?.emit(event, ...said));
  await new Promise<void>((resolve, reject) => {
    outer.once("error", reject);
    outer.listen(port, LOOPBACK, () => resolve());
  });

  const ended = async (): Promise<void> => {
    const all = [...underWay];
    const over = new AbortController();
    const streams = setInterval(() => endStreams(all), LOOK);
    endStreams(all);
    const late = wait(PATIENCE, undefined, { signal: over.signal }).then(
      () => all.forEach((response) => response.destroy()),
      () => undefined,
    );
    const gone = all.map((response) => new Promise((resolve) => response.once("close", resolve)));
    await Promise.race([Promise.all(gone), late]);
    over.abort();
    clearInterval(streams);
  };

  return {
    port: (outer.address() as AddressInfo).port,
    async shut() {
      isOpen = false;
      await ended();
    },
    open(server) {
      outer.keepAliveTimeout = server.keepAliveTimeout;
      inner = server;
      isOpen = true;
      for (const guest of waiting.splice(0)) letIn(guest);
    },
    addAside(added) {
      aside = added;
    },
    async close() {
      const closed = new Promise((resolve) => outer.close(resolve));
      const idle = setInterval(() => {
        endStreams(underWay);
        outer.closeIdleConnections();
      }, LOOK);
      const force = setTimeout(() => outer.closeAllConnections(), PATIENCE);
      for (const [, response] of waiting.splice(0)) response.destroy();
      await closed;
      clearInterval(idle);
      clearTimeout(force);
    },
  };
}
