import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import pg from "pg";

/** A connection pooler between clients and sessions of one database. */
export interface FakePooler {
  readonly port: number;
  close(): Promise<void>;
}

/** How long a client keeps a session of the server. */
export type PoolMode = "session" | "transaction";

const READY = "Z".charCodeAt(0);

/** Calls back for each complete message of a stream, with its type and its bytes. */
const messageParser = (onMessage: (type: number, bytes: Buffer) => void): ((chunk: Buffer) => void) => {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5) {
      const length = rest.readInt32BE(1) + 1;
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      rest = rest.subarray(length);
      onMessage(message[0] ?? 0, message);
    }
  };
};

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Authentication is complete, and the server is ready. The settings of the startup packet are dropped, as poolers may do. */
const WELCOME = Buffer.concat([
  message("R", Buffer.from([0, 0, 0, 0])),
  message("S", Buffer.from("server_version\0" + "18.0\0")),
  message("Z", Buffer.from("I")),
]);

interface Session {
  readonly socket: Socket;
  user: Socket | undefined;
}

/**
 * Assigns sessions to clients for the duration of a connection or of a transaction.
 * @shape config: of its own connections; size: maximum number of sessions
 */
export async function startFakePooler(config: pg.ClientConfig, mode: PoolMode, size: number): Promise<FakePooler> {
  const idle: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;

  const open = async (): Promise<Session> => {
    const client = new pg.Client(config);
    client.on("error", () => undefined);
    await client.connect();
    // From here on the pooler processes the bytes.
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    stream.removeAllListeners("data");
    sockets.add(stream);
    const session: Session = { socket: stream, user: undefined };
    const read = messageParser((type, bytes) => {
      session.user?.write(bytes);
      if (type === READY && mode === "transaction" && bytes[5] === "I".charCodeAt(0)) release(session);
    });
    stream.on("data", read);
    return session;
  };
  const release = (session: Session): void => {
    session.user = undefined;
    const next = waiting.shift();
    if (next) next(session);
    else idle.push(session);
  };
  const acquire = async (): Promise<Session> => {
    const session = idle.pop();
    if (session) return session;
    if (opened < size) {
      opened += 1;
      return open();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };

  const serve = (client: Socket): void => {
    sockets.add(client);
    let isStarted = false;
    let session: Session | undefined;
    let queue = Promise.resolve();
    const forward = (bytes: Buffer) => {
      queue = queue.then(async () => {
        if (!session || session.user !== client) {
          session = await acquire();
          session.user = client;
        }
        session.socket.write(bytes);
      });
    };
    const read = messageParser((type, bytes) => (type === "X".charCodeAt(0) ? client.end() : forward(bytes)));
    client.on("data", (chunk) => {
      if (isStarted) return read(chunk);
      // 80877103: the request for TLS, which is refused.
      if (chunk.length === 8 && chunk.readInt32BE(4) === 80_877_103) return void client.write("N");
      isStarted = true;
      client.write(WELCOME);
    });
    client.on("error", () => undefined);
    client.on("close", () => {
      if (session?.user === client) release(session);
    });
  };
  const server: Server = createServer(serve).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
