import { spawnSync } from "node:child_process";
import { appendFileSync, chownSync, cpSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { findBinaries } from "../src/embedded/binaries.ts";
import { chooseHome } from "../src/embedded/home.ts";
import { startProcess, type ServerProcess } from "../src/embedded/process.ts";
import { temporaryFolders } from "./temporary-folders.ts";

/** A separate PostgreSQL server over TCP, with the access rules and settings that a test chooses. */
export interface PostgresFixture {
  readonly port: number;
  readonly cluster: string;
  /** Runs SQL as its superuser. */
  sql(text: string): Promise<pg.QueryResult>;
  /** Creates a streaming replica of it. */
  replica(): Promise<PostgresFixture>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

export const APP_PASSWORD = "p@ss/w:or%d#ü?";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const folders = temporaryFolders();
export const removeServers = (): void => folders.removeAll();

/** The role `app` owns the database `app` and has the password above; files are put into the cluster before it starts. */
export async function postgresFixture(
  options: {
    readonly hba?: string;
    readonly settings?: Readonly<Record<string, string>>;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<PostgresFixture> {
  const {
    hba = "host all app all scram-sha-256\nhost replication app all scram-sha-256\n",
    settings = {},
    files = {},
  } = options;
  const { folder, identity, binaries } = chooseHome(folders.create(), findBinaries());
  const cluster = join(folder, "cluster");
  const [program = "", ...args] = [
    ...identity.prefix,
    binaries.initdb,
    "-D",
    cluster,
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--locale=C",
  ];
  const env = { LC_ALL: "C", TZ: "UTC", PATH: process.env.PATH };
  const { status, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8", ...identity.user });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);

  const at = async (place: string): Promise<PostgresFixture> => {
    const port = await freePort();
    let server: ServerProcess | undefined;
    const start = async () => {
      server = await startProcess({
        binaries,
        cluster: place,
        identity,
        settings: {
          fsync: "off",
          unix_socket_directories: ".",
          listen_addresses: "127.0.0.1",
          port: String(port),
          ...settings,
        },
        log: () => undefined,
      });
    };
    const stop = async () => {
      server?.stop();
      await server?.ended;
    };
    await start();
    return {
      port,
      cluster: place,
      start,
      stop,
      sql: async (text) => {
        const client = new pg.Client({ host: place, port, user: "postgres", database: "postgres" });
        await client.connect();
        try {
          return await client.query(text);
        } finally {
          await client.end();
        }
      },
      replica: async () => {
        // A copy of a stopped server is a base backup.
        await stop();
        const copy = `${place}-copy${port}`;
        cpSync(place, copy, { recursive: true });
        appendFileSync(
          join(copy, "postgresql.auto.conf"),
          `primary_conninfo = 'host=127.0.0.1 port=${port} user=app password=''${APP_PASSWORD}'''\n`,
        );
        writeFileSync(join(copy, "standby.signal"), "");
        if (identity.owner)
          spawnSync("chown", ["-R", `${identity.owner.uid}:${identity.owner.gid}`, copy], { stdio: "ignore" });
        spawnSync("chmod", ["700", copy]);
        await start();
        return at(copy);
      },
    };
  };

  writeFileSync(join(cluster, "pg_hba.conf"), `local all all trust\n${hba}`);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(cluster, name), text, { mode: 0o600 });
    if (identity.owner) chownSync(join(cluster, name), identity.owner.uid, identity.owner.gid);
  }
  const server = await at(cluster);
  await server.sql(`create role app login replication password '${APP_PASSWORD}'`);
  await server.sql("create database app owner app");
  return server;
}

/** A connection URL of the role `app`. */
export const appUrl = (hosts: string, parameters = ""): string =>
  `postgresql://app:${encodeURIComponent(APP_PASSWORD)}@${hosts}/app${parameters && `?${parameters}`}`;
