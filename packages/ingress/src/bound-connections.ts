import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { readSliced, type SlicedReading } from "./sliced-reading.ts";

/** What the connections of one server may cost. */
export interface ConnectionBounds {
  /** Further connections are closed as they come. */
  readonly maxConnections: number;
  /** Requests that wait for their turn, of all connections; a connection that adds another is closed. */
  readonly maxWaitingRequests: number;
  /** Bytes of answers that are not sent yet, of all connections; those with the most are closed beyond. */
  readonly maxUnsentBytes: number;
  /** How long a reader may take nothing of an answer. */
  readonly stallTimeoutMs: number;
  /** How often unsent answers are looked after. */
  readonly sweepMs: number;
}

/**
 * @assumed A process has at most 10,000 connections, 128 MiB of answers that nobody has taken yet, and 20,000 requests that wait for their turn on
 * their connection; who takes nothing of an answer for 30 seconds is disconnected.
 */
const usualBounds: ConnectionBounds = {
  maxConnections: 10_000,
  maxWaitingRequests: 20_000,
  maxUnsentBytes: 128 * 1_048_576,
  stallTimeoutMs: 30_000,
  sweepMs: 5_000,
};

/** Waiting requests of one connection from which on all connections are read in slices. */
const deepPipeline = 16;
/** How long new connections are read in slices after a deep pipeline was seen. */
const guardedMs = 60_000;
/** Requests between two looks at what is unsent, at least. */
const requestsBetweenLooks = 64;

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * States: idle (no `current`), serving (`current`), holding (`current`, `waiting`, `isHeld`: the socket is paused). A request takes it from idle to
 * serving, further ones to holding; the end of each answer begins the next one, and the last one that waited ends the holding.
 */
interface Connection {
  current: ServerResponse | undefined;
  readonly waiting: Exchange[];
  isHeld: boolean;
  hasResumeListener: boolean;
  reading: SlicedReading | undefined;
  /** A reader that has something to take was seen by a sweep. */
  isStallTimed: boolean;
}

/**
 * Bounds what connections can cost the server. Call it once all listeners of "request" are there.
 *
 * Requests of one connection are served one after the other, in their order, as changes of a pipeline must be; while one waits, the connection is not read.
 * As a response ends only when it is sent, a connection that is not read by its client has one unsent answer at most.
 */
export function boundConnections(server: Server, bounds: Partial<ConnectionBounds> = {}): void {
  const { maxConnections, maxWaitingRequests, maxUnsentBytes, stallTimeoutMs, sweepMs } = { ...usualBounds, ...bounds };
  const connections = new Map<Socket, Connection>();
  const handlers = server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  let waitingRequests = 0;
  let guardedUntil = 0;
  let requestsSinceLook = 0;

  /** The reading changes hands when the socket goes on: at no other time is it sure that it is being read. */
  const slice = (socket: Socket, connection: Connection): void => {
    if (connection.reading) return;
    listenToResume(socket, connection);
    if (!connection.isHeld && !socket.isPaused()) socket.pause().resume();
  };
  const listenToResume = (socket: Socket, connection: Connection): void => {
    if (connection.hasResumeListener) return;
    connection.hasResumeListener = true;
    socket.on("resume", () => {
      // Node resumes a socket by itself too, when a body is read or an answer has drained.
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
  /** Who sends one deep pipeline sends many, and each chunk that is parsed as a whole holds up everybody. */
  const guardAll = (): void => {
    const now = performance.now();
    const isNew = now >= guardedUntil;
    guardedUntil = now + guardedMs;
    // The deep one itself is paused.
    if (isNew) for (const [socket, connection] of connections) slice(socket, connection);
  };

  const unsent = (): [Socket, Connection][] => [...connections].filter(([socket]) => socket.writableLength > 0);
  const boundUnsent = (): void => {
    requestsSinceLook = 0;
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
      // Node's timer starts anew with each byte that leaves, and its server closes what runs out. Between answers it has another one set.
      if (isUnsent || connection.current) socket.setTimeout(isUnsent ? stallTimeoutMs : 0);
    }
  };

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    for (const handler of handlers) handler.call(server, request, response);
  };
  const serve = (connection: Connection, { request, response }: Exchange): void => {
    connection.current = response;
    response.on("close", end);
    requestsSinceLook += 1;
    if (requestsSinceLook >= requestsBetweenLooks && requestsSinceLook >= connections.size) boundUnsent();
    handle(request, response);
  };
  const serveNext = (socket: Socket, connection: Connection): void => {
    connection.current = undefined;
    const exchange = connection.waiting.shift();
    if (!exchange) return;
    waitingRequests -= 1;
    serve(connection, exchange);
    // The body of what is served now may be still to come.
    if (connection.waiting.length === 0) release(socket, connection);
  };
  /** One listener for all responses: it is emitted once, and nothing needs to be taken off. */
  const end = function (this: ServerResponse): void {
    const { socket } = this.req;
    const connection = connections.get(socket);
    if (connection?.current !== this) return;
    if (connection.waiting.length === 0) connection.current = undefined;
    // Answers that are made at once would follow each other without an end: other connections have their turn between them.
    else setImmediate(serveNext, socket, connection);
  };
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    if (socket.destroyed) return;
    const connection = connections.get(socket);
    // Somebody else listens, and bounds it.
    if (!connection) return handle(request, response);
    if (!connection.current) return serve(connection, { request, response });
    if (waitingRequests >= maxWaitingRequests) return void socket.destroy();
    waitingRequests += 1;
    connection.waiting.push({ request, response });
    hold(socket, connection);
    if (connection.waiting.length >= deepPipeline) guardAll();
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

  server.removeAllListeners("request").on("request", take).on("connection", open);
  const sweeping = setInterval(sweep, sweepMs).unref();
  server.once("close", () => clearInterval(sweeping));
}
