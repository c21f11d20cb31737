import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";
import { APP_ROLE } from "./embedded/access.ts";
import { testServer } from "./environment/config.ts";

/** A TCP proxy in front of a test's database that simulates network failures. */
export interface TestRelay {
  /** DATABASE_URL of the proxy. */
  readonly url: string;
  /** Closes every connection and stops listening, like a server that is down. */
  cut(): Promise<void>;
  /** Accepts connections and forwards nothing, like a server that hangs. */
  silence(): void;
  /**
   * Closes the next connection that runs the named statement when the response arrives: the statement took effect, and the client doesn't
   * receive the result.
   */
  loseResponse(name: string): void;
  /**
   * Holds back the next statement of this name, and everything that its connection sends afterwards. Resolves when the statement has
   * arrived, with the function that releases it.
   */
  hold(name: string): Promise<() => void>;
  /** Resumes normal operation. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

const NAME = statement("", "select current_database() as name");

/** Opens a proxy to a database that `testDatabase` created. */
export async function testRelay(database: Database): Promise<TestRelay> {
  const pool = database.pool("public", { max: 1 });
  const row = await pool.one<{ name: string }>(NAME, []);
  await pool.end();
  const path = join(testServer()?.folder ?? "", ".s.PGSQL.5432");
  const open = new Set<Socket>();
  let isSilent = false;
  let responseToLose: string | undefined;
  let awaited: { readonly name: string; readonly onArrival: (release: () => void) => void } | undefined;
  let server: Server | undefined;
  let port = 0;

  const relay = (client: Socket): void => {
    const upstream = connect(path);
    const pair = [client, upstream];
    client.on("data", (bytes: Buffer) => {
      if (responseToLose === undefined || !bytes.includes(responseToLose)) return;
      responseToLose = undefined;
      upstream.prependOnceListener("data", () => client.destroy());
    });
    client.prependListener("data", (bytes: Buffer) => {
      if (awaited === undefined || !bytes.includes(awaited.name)) return;
      const { onArrival } = awaited;
      awaited = undefined;
      upstream.cork();
      onArrival(() => upstream.uncork());
    });
    for (const [index, socket] of pair.entries()) {
      const other = pair[1 - index];
      open.add(socket);
      socket.on("data", (bytes) => isSilent || other?.write(bytes));
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other?.destroy();
      });
    }
  };
  const listen = async (): Promise<void> => {
    server = createServer(relay);
    server.listen(port, "127.0.0.1");
    await new Promise((resolve) => server?.once("listening", resolve));
    port = (server.address() as AddressInfo).port;
  };
  const cut = async (): Promise<void> => {
    const closed = new Promise((resolve) => (server?.listening ? server.close(resolve) : resolve(undefined)));
    for (const socket of open) socket.destroy();
    await closed;
  };
  await listen();

  return {
    url: `postgres://${APP_ROLE}:${testServer()?.password}@127.0.0.1:${port}/${row?.name}`,
    cut,
    silence: () => {
      isSilent = true;
    },
    loseResponse: (name) => {
      responseToLose = name;
    },
    hold: (name) => new Promise((onArrival) => (awaited = { name, onArrival })),
    async restore() {
      // Silenced connections have lost bytes and can't continue.
      if (isSilent) for (const socket of open) socket.destroy();
      isSilent = false;
      if (!server?.listening) await listen();
    },
    close: cut,
  };
}
