import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Database } from "./database.ts";
import { statement } from "./statement.ts";
import { APP_ROLE } from "./embedded/access.ts";
import { testServer } from "./environment/config.ts";

/** A way to a test's database, by a port of its own, that a test can break. */
export interface TestRelay {
  /** What DATABASE_URL would be. */
  readonly url: string;
  /** Breaks every connection and takes no more, as a server that is gone. */
  cut(): Promise<void>;
  /** Takes connections and hands nothing on, as a server that hangs. */
  silence(): void;
  /** Breaks the next connection that runs a statement of this name, when its answer comes: it is done, and nobody hears of it. */
  loseAnswer(name: string): void;
  /** Keeps the next statement of this name, and what its connection sends after it, until it is let go. -> once it has come */
  hold(name: string): Promise<() => void>;
  /** Hands on again what comes. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

const NAME = statement("", "SELECT current_database() AS name");

/** Opens a way to a database that `testDatabase` made. */
export async function testRelay(database: Database): Promise<TestRelay> {
  const pool = database.pool("public", { max: 1 });
  const row = await pool.one<{ name: string }>(NAME, []);
  await pool.end();
  const path = join(testServer()?.folder ?? "", ".s.PGSQL.5432");
  const open = new Set<Socket>();
  let isSilent = false;
  let lost: string | undefined;
  let awaited: { readonly name: string; readonly come: (release: () => void) => void } | undefined;
  let server: Server | undefined;
  let port = 0;

  const relay = (near: Socket): void => {
    const far = connect(path);
    const both = [near, far];
    near.on("data", (bytes: Buffer) => {
      if (lost === undefined || !bytes.includes(lost)) return;
      lost = undefined;
      far.prependOnceListener("data", () => near.destroy());
    });
    near.prependListener("data", (bytes: Buffer) => {
      if (awaited === undefined || !bytes.includes(awaited.name)) return;
      const { come } = awaited;
      awaited = undefined;
      far.cork();
      come(() => far.uncork());
    });
    for (const [index, socket] of both.entries()) {
      const other = both[1 - index];
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
    loseAnswer: (name) => {
      lost = name;
    },
    hold: (name) => new Promise((come) => (awaited = { name, come })),
    async mend() {
      // Bytes are missing on what was silenced: nobody can go on with it.
      if (isSilent) for (const socket of open) socket.destroy();
      isSilent = false;
      if (!server?.listening) await listen();
    },
    close: cut,
  };
}
