import type { Log } from "@parley/telemetry";
import { existsSync, mkdirSync, realpathSync } from "node:fs";
import { DatabaseUnavailable, failureLine } from "../errors/failure.ts";
import { lockFolder } from "./lock.ts";
import { makePrivate } from "../environment/private-folder.ts";
import { passwordOf, secureCluster, type Administrator } from "./access.ts";
import { findBinaries } from "./binaries.ts";
import { ensureCluster } from "./cluster.ts";
import { chooseHome } from "./home.ts";
import { startProcess } from "./process.ts";
import { socketFolder } from "./socket.ts";
import { supervise } from "./supervisor.ts";
import { endServer, takeOver } from "./takeover.ts";

/** The embedded server of a data folder. */
interface Embedded {
  /** Folder of the socket, reachable at least from this process. */
  readonly socketFolder: string;
  /** Password of the product's role. */
  readonly password: string;
  close(): Promise<void>;
}

/** Half the p99 latency of the default settings at the same rate, without a change of durability. No TCP. */
const SETTINGS = {
  listen_addresses: "",
  unix_socket_directories: ".",
  unix_socket_permissions: "0700",
  port: "5432",
  // No superuser ever connects.
  superuser_reserved_connections: "0",
  password_encryption: "scram-sha-256",
  max_connections: "64",
  shared_buffers: "128MB",
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  jit: "off",
  // Errors of statements are reported to the client; a log line would contain personal data.
  log_min_messages: "fatal",
  log_line_prefix: "",
};

/** Starts the server of `<dataFolder>/postgres` and creates a missing cluster. @errors DatabaseUnavailable */
export async function openEmbedded(options: {
  dataFolder: string;
  log: Log;
  settings?: Readonly<Record<string, string>>;
  /** For tests and benchmarks; applied when the roles of a cluster are created. */
  administrator?: Administrator;
}): Promise<Embedded> {
  const { log, administrator } = options;
  const dataFolder = makeFolder(options.dataFolder, log);
  const unlock = lock(dataFolder);
  try {
    const { folder, identity, binaries } = chooseHome(dataFolder, findBinaries());
    const cluster = await ensureCluster(folder, binaries, identity);
    const socket = socketFolder(cluster);
    const settings = { ...SETTINGS, ...options.settings };
    const start = async () => {
      await takeOver(cluster, socket.path);
      const launch = { binaries, cluster, identity, settings, log };
      await secureCluster(launch, administrator);
      return startProcess(launch);
    };
    const server = await supervise(start, log).catch((error: unknown) => {
      socket.close();
      throw error;
    });
    return {
      socketFolder: socket.path,
      password: passwordOf(cluster),
      close: async () => {
        await server.stop();
        await endServer(cluster);
        socket.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    if (error instanceof DatabaseUnavailable) throw error;
    throw new DatabaseUnavailable(
      `PostgreSQL does not start in ${dataFolder}: ${failureLine(error)}. Check that folder and its disk, or set DATABASE_URL.`,
    );
  }
}

function makeFolder(path: string, log: Log): string {
  try {
    const isNew = !existsSync(path);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    makePrivate(path, log, isNew);
    return realpathSync(path);
  } catch (error) {
    throw notWritable(path, error);
  }
}

function lock(dataFolder: string): () => void {
  try {
    return lockFolder(dataFolder);
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error;
    throw notWritable(dataFolder, error);
  }
}

const notWritable = (path: string, error: unknown): DatabaseUnavailable =>
  new DatabaseUnavailable(
    `The data folder ${path} can't be written: ${failureLine(error)}. Change its permissions, or choose another data folder.`,
  );
