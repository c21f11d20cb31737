import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { findBinaries } from "../src/embedded/binaries.ts";
import { chooseHome } from "../src/embedded/home.ts";
import { startProcess } from "../src/embedded/process.ts";
import { endServer } from "../src/embedded/takeover.ts";
import { postmasterOf } from "./data-folder-process.ts";

/** Options with which earlier releases created a cluster: everyone who reached its socket was its superuser. */
const EARLIER_OPTIONS = [
  ["-U", "postgres"],
  ["-A", "trust"],
  ["-E", "UTF8"],
  ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
  ["--no-instructions"],
].flat();

const SETTINGS = {
  listen_addresses: "",
  unix_socket_directories: ".",
  port: "5432",
  wal_level: "minimal",
  max_wal_senders: "0",
};

/** The server of an earlier release on a data folder. */
export interface EarlierClusterFixture {
  readonly config: pg.ClientConfig;
  stop(): Promise<void>;
  /** Sends SIGKILL to all of its processes, so that the next start recovers. */
  kill(): Promise<void>;
}

/** Starts the server, and creates the cluster if it is missing. */
export async function earlierClusterFixture(dataFolder: string): Promise<EarlierClusterFixture> {
  const { folder, identity, binaries } = chooseHome(dataFolder, findBinaries());
  const cluster = join(folder, "cluster");
  if (!existsSync(cluster)) {
    const [program = "", ...args] = [...identity.prefix, binaries.initdb, "-D", cluster, ...EARLIER_OPTIONS];
    const env = { LC_ALL: "C", TZ: "UTC", PATH: process.env.PATH };
    const { status, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8", ...identity.user });
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  }
  const server = await startProcess({ binaries, cluster, identity, settings: SETTINGS, log: () => undefined });
  return {
    config: { host: cluster, port: 5432, user: "postgres", database: "postgres" },
    stop: async () => {
      server.stop();
      await server.ended;
    },
    kill: async () => {
      process.kill(postmasterOf(dataFolder), "SIGKILL");
      await server.ended;
      await endServer(cluster);
    },
  };
}
