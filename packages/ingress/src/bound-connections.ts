import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { readSliced, type SlicedReading } from "./sliced-reading.ts";

/** Resource limits of a server's connections. */
export interface ConnectionBounds {
  /** Connections beyond this number are closed immediately. */
  readonly maxConnections: number;
  /** Queued requests of all connections; a connection that exceeds the limit is closed. */
  readonly maxWaitingRequests: number;
  /** Unsent response bytes of all connections; beyond the limit the connections with the most are closed. */
  readonly maxUnsentBytes: number;
  /** Maximum time without progress while a client reads a response. @units milliseconds */
  readonly stallTimeoutMs: number;
  /** Interval of the check for unsent responses. @units milliseconds */
  readonly sweepMs: number;
}

/**
 * @assumed A process has at most 10,000 connections, 128 MiB of unsent responses, and 20,000 requests queued on their connections; a client that
 * reads nothing of a response for 30 seconds is disconnected.
 */
const defaultBounds: ConnectionBounds = {
  maxConnections: 10_000,
  maxWaitingRequests: 20_000,
  maxUnsentBytes: 128 * 1_048_576,
  stallTimeoutMs: 30_000,
  sweepMs: 5_000,
};

/** Number of queued requests of one connection that switches all connections to sliced reading. */
const DEEP_PIPELINE_REQUESTS = 16;
/** Time after a deep pipeline during which new connections use sliced reading. */
const GUARD_DURATION_MS = 60_000;
/** Minimum number of requests between two checks of unsent bytes. */
const REQUESTS_BETWEEN_CHECKS = 64;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * States: idle (no `current`), serving (`current`), holding (`current`, `waiting`, `isHeld`: the socket is paused).
 * Transitions: a request changes idle to serving; further requests change serving to holding; the end of a response serves the next
 * request, and serving the last queued request changes holding to serving.
 */
interface Connection {
  current: ServerResponse | undefined;
  readonly waiting: Exchange[];
  isHeld: boolean;
  hasResumeListener: boolean;
  reading: SlicedReading | undefined;
  /** The last sweep found unsent bytes and started the stall timeout. */
  isStallTimed: boolean;
}

/**
 * Limits the resources that connections can use. Call it after all listeners of "request" have been added.
 *
 * Requests of one connection are served sequentially, in order, since pipelined changes depend on it. While a request is queued, the
 * connection is not read. A response only ends when it has been sent, so that a client that doesn't read has one unsent response at most.
 */
export function boundConnections(server: Server, bounds: Partial<ConnectionBounds> = {}): void {
  const { maxConnections, maxWaitingRequests, maxUnsentBytes, stallTimeoutMs, sweepMs } = {
    ...defaultBounds,
    ...bounds,
  };
  const connections = new Map<Socket, Connection>();
  const handlers = server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  let waitingRequests = 0;
  let guardedUntil = 0;
  let requestsSinceCheck = 0;

  /** Sliced reading starts at the socket's next resume, the only moment at which the socket is known to be read. */
  const slice = (socket: Socket, connection: Connection): void => {
    if (connection.reading) return;
    listenToResume(socket, connection);
    if (!connection.isHeld && !socket.isPaused()) socket.pause().resume();
  };
  const listenToResume = (socket: Socket, connection: Connection): void => {
    if (connection.hasResumeListener) return;
    connection.hasResumeListener = true;
    socket.on("resume", () => {
      // Node itself resumes a socket when a body is read or a response has drained.
      if (connection.isHeld) socket.pause();
      else if (connection.reading) connection.reading.pump();
      else if (performance.now() < guardedUntil && !socket.isPaused())
        connection.reading = readSliced(socket, () => !connection.isHeld);
    });
  };
  const hold = (socket: Socket, connection: Connection): void => {
    if (connection.isHeld) return;
    connection.isHeld = true;
    listenToResume(socket, connection);
    socket.pause();
  };
  const release = (socket: Socket, connection: Connection): void => {
    connection.isHeld = false;
    socket.resume();
  };
  /** A client that sends one deep pipeline sends many, and each chunk that is parsed at once delays all connections. */
  const guardAll = (): void => {
    const now = performance.now();
    const isNew = now >= guardedUntil;
    guardedUntil = now + GUARD_DURATION_MS;
    // The connection with the deep pipeline is paused and switches when it resumes.
    if (isNew) for (const [socket, connection] of connections) slice(socket, connection);
  };

  const unsent = (): [Socket, Connection][] => [...connections].filter(([socket]) => socket.writableLength > 0);
  const boundUnsent = (): void => {
    requestsSinceCheck = 0;
    let total = 0;
    for (const socket of connections.keys()) total += socket.writableLength;
    if (total <= maxUnsentBytes) return;
    const order = ([socket, { isStallTimed }]: [Socket, Connection]) => socket.writableLength * (isStallTimed ? 2 : 1);
    for (const [socket] of unsent().sort((a, b) => order(b) - order(a))) {
      if (total <= maxUnsentBytes) break;
      total -= socket.writableLength;
      socket.destroy();
    }
  };
  const sweep = (): void => {
    boundUnsent();
    for (const [socket, connection] of connections) {
      const isUnsent = connection.current !== undefined && socket.writableLength > 0;
      if (isUnsent === connection.isStallTimed) continue;
      connection.isStallTimed = isUnsent;
      // Node restarts the timer with every byte sent, and its server closes the socket on timeout. Between responses Node sets another timeout.
      if (isUnsent || connection.current) socket.setTimeout(isUnsent ? stallTimeoutMs : 0);
    }
  };

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    for (const handler of handlers) handler.call(server, request, response);
  };
  const serve = (connection: Connection, { request, response }: Exchange): void => {
    connection.current = response;
    response.on("close", end);
    requestsSinceCheck += 1;
    if (requestsSinceCheck >= REQUESTS_BETWEEN_CHECKS && requestsSinceCheck >= connections.size) boundUnsent();
    handle(request, response);
  };
  const serveNext = (socket: Socket, connection: Connection): void => {
    connection.current = undefined;
    const exchange = connection.waiting.shift();
    if (!exchange) return;
    waitingRequests -= 1;
    serve(connection, exchange);
    // The body of the request that is being served may not have arrived yet.
    if (connection.waiting.length === 0) release(socket, connection);
  };
  /** Shared listener of all responses; "close" is emitted once, so that no removal is needed. */
  const end = function (this: ServerResponse): void {
    const { socket } = this.req;
    const connection = connections.get(socket);
    if (connection?.current !== this) return;
    if (connection.waiting.length === 0) connection.current = undefined;
    // setImmediate lets other connections proceed between responses that complete synchronously.
    else setImmediate(serveNext, socket, connection);
  };
  const handleOrQueue = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    if (socket.destroyed) return;
    const connection = connections.get(socket);
    // The connection belongs to another listener, which limits it.
    if (!connection) return handle(request, response);
    if (!connection.current) return serve(connection, { request, response });
    if (waitingRequests >= maxWaitingRequests) return void socket.destroy();
    waitingRequests += 1;
    connection.waiting.push({ request, response });
    hold(socket, connection);
    if (connection.waiting.length >= DEEP_PIPELINE_REQUESTS) guardAll();
  };

  const open = (socket: Socket): void => {
    if (connections.size >= maxConnections) return void socket.destroy();
    const connection: Connection = {
      current: undefined,
      waiting: [],
      isHeld: false,
      hasResumeListener: false,
      reading: undefined,
      isStallTimed: false,
    };
    connections.set(socket, connection);
    socket.once("close", () => {
      connections.delete(socket);
      waitingRequests -= connection.waiting.length;
      connection.waiting.length = 0;
    });
    if (performance.now() < guardedUntil) slice(socket, connection);
  };

  server.removeAllListeners("request").on("request", handleOrQueue).on("connection", open);
  const sweeping = setInterval(sweep, sweepMs).unref();
  server.once("close", () => clearInterval(sweeping));
}
