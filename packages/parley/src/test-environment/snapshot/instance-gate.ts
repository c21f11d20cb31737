import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { boundConnections } from "@parley/ingress";
import { plainUrl, serverOptions } from "@parley/service";
import type { IncomingFault } from "../fault/faults.ts";

/** The listener of a local instance. It outlives the service behind it: requests wait while no service runs. */
export interface InstanceGate {
  readonly port: number;
  /** Holds back new requests. Resolves when the open requests have ended or were cut off. */
  shut(): Promise<void>;
  /** Passes requests to the server of a service that does not listen itself, those that waited first. */
  open(server: Server): void;
  /** Adds routes that are answered whether the gate is open or shut. */
  setExemptRoute(route: ExemptRoute): void;
  /** Stops listening. */
  close(): Promise<void>;
}

interface ExemptRoute {
  readonly server: Server;
  isBelow(path: string): boolean;
}

interface TrafficGateOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly faults: (request: { readonly method: string; readonly path: string }) => IncomingFault | undefined;
  /** Makes the service refuse the request with the status of the fault. */
  readonly refuse: (request: IncomingMessage, fault: Extract<IncomingFault["effect"], { kind: "status" }>) => void;
  /** Waits for the time of a latency fault. @units milliseconds */
  readonly delay?: ((ms: number) => Promise<unknown>) | undefined;
}

type PendingRequest = readonly [request: IncomingMessage, response: ServerResponse];

const LOOPBACK = "127.0.0.1";
/** How long open requests may delay a shutdown. @units milliseconds */
const SHUTDOWN_TIMEOUT_MS = 3_000;
/** Interval at which streams and idle connections are closed. @units milliseconds */
const CLOSE_INTERVAL_MS = 50;

/** Ends event streams, which would otherwise stay open until the timeout. Their clients reconnect and resume. */
const endStreams = (responses: Iterable<ServerResponse>): void => {
  for (const response of responses) {
    if (response.writableEnded || response.getHeader("content-type") !== "text/event-stream") continue;
    if (response.writableNeedDrain) response.destroy();
    else response.end();
  }
};

/** Discards the response and closes the connection at its end. */
const drop = (response: ServerResponse): void => {
  const end = () => {
    response.destroy();
    return response;
  };
  Object.assign(response, { writeHead: () => response, flushHeaders: () => undefined, write: () => true, end });
};

/** @errors errors of listening on the port */
export async function openInstanceGate({
  port,
  faults,
  refuse,
  delay = (ms) => wait(ms, undefined, { ref: false }),
}: TrafficGateOptions): Promise<InstanceGate> {
  const outer = createServer(serverOptions());
  const openResponses = new Set<ServerResponse>();
  const waiting: PendingRequest[] = [];
  let exemptRoute: ExemptRoute | undefined;
  let inner: Server | undefined;
  let isOpen = false;

  const forward = ([request, response]: PendingRequest): void => {
    if (response.destroyed || request.destroyed) return;
    if (!isOpen || !inner) return void waiting.push([request, response]);
    openResponses.add(response);
    response.once("close", () => openResponses.delete(response));
    inner.emit("request", request, response);
  };

  const receive = async ([request, response]: PendingRequest): Promise<void> => {
    const path = plainUrl(request.url ?? "/").split("?")[0] ?? "/";
    if (exemptRoute?.isBelow(path)) return void exemptRoute.server.emit("request", request, response);
    const fault = path.startsWith("/admin") ? undefined : faults({ method: request.method ?? "GET", path });
    if (fault === undefined) return forward([request, response]);
    if (fault.ms > 0) await delay(fault.ms);
    if (fault.effect?.kind === "drop") {
      if (fault.effect.when === "before") return void request.socket.destroy();
      drop(response);
    } else if (fault.effect) refuse(request, fault.effect);
    forward([request, response]);
  };

  outer.on("request", (request, response) => void receive([request, response]));
  boundConnections(outer);
  // Malformed requests and special HTTP events are handled by the most recent service.
  for (const event of ["clientError", "connect", "checkExpectation"])
    outer.on(event, (...args: unknown[]) => void inner?.emit(event, ...args));
  await new Promise<void>((resolve, reject) => {
    outer.once("error", reject);
    outer.listen(port, LOOPBACK, () => resolve());
  });

  const untilResponsesEnd = async (): Promise<void> => {
    const open = [...openResponses];
    const done = new AbortController();
    const streams = setInterval(() => endStreams(open), CLOSE_INTERVAL_MS);
    endStreams(open);
    const timeout = wait(SHUTDOWN_TIMEOUT_MS, undefined, { signal: done.signal }).then(
      () => open.forEach((response) => response.destroy()),
      () => undefined,
    );
    const closed = open.map((response) => new Promise((resolve) => response.once("close", resolve)));
    await Promise.race([Promise.all(closed), timeout]);
    done.abort();
    clearInterval(streams);
  };

  return {
    port: (outer.address() as AddressInfo).port,
    async shut() {
      isOpen = false;
      await untilResponsesEnd();
    },
    open(server) {
      outer.keepAliveTimeout = server.keepAliveTimeout;
      inner = server;
      isOpen = true;
      for (const pending of waiting.splice(0)) forward(pending);
    },
    setExemptRoute(route) {
      exemptRoute = route;
    },
    async close() {
      const closed = new Promise((resolve) => outer.close(resolve));
      const idle = setInterval(() => {
        endStreams(openResponses);
        outer.closeIdleConnections();
      }, CLOSE_INTERVAL_MS);
      const force = setTimeout(() => outer.closeAllConnections(), SHUTDOWN_TIMEOUT_MS);
      for (const [, response] of waiting.splice(0)) response.destroy();
      await closed;
      clearInterval(idle);
      clearTimeout(force);
    },
  };
}
