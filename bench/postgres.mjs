/** Starts a separate PostgreSQL server from the binaries of the embedded server, with additional environment variables such as LD_PRELOAD. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBinaries, openDatabase, statement } from "../packages/database/dist/index.js";

/** PostgreSQL refuses to run as root. -> command prefix and spawn options that run it as another user */
const identity = (program) => {
  if (process.getuid() !== 0) return { prefix: [], user: {} };
  const [, , uid, gid] = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((line) => line.startsWith("nobody:"))
    .split(":");
  const user = { uid: Number(uid), gid: Number(gid) };
  const { status } = spawnSync("/bin/sh", ["-c", 'test -x "$1"', "sh", program], user);
  return status === 0 ? { prefix: [], user } : { prefix: ["unshare", "--user", `--map-user=${uid}`], user: {} };
};

/** Starts a server in an empty folder. -> `{ createDatabase(name), administratorUrl(database), stop }` @shape environment: variables of the server process */
export const startPostgres = async (environment) => {
  const { postgres, initdb } = findBinaries();
  const { prefix, user } = identity(postgres);
  const folder = await mkdtemp(join(tmpdir(), "parley-bench-pg-"));
  chmodSync(folder, 0o700);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const [first, ...rest] = [
    ...prefix,
    initdb,
    "-D",
    data,
    "-A",
    "trust",
    "-U",
    "postgres",
    "--no-locale",
    "-E",
    "UTF8",
  ];
  const result = spawnSync(first, rest, {
    cwd: folder,
    encoding: "utf8",
    env: { LC_ALL: "C", PATH: process.env.PATH },
    ...user,
  });
  if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr}`);
  const settings = [
    "listen_addresses=",
    `unix_socket_directories=${folder}`,
    "max_connections=100",
    "shared_buffers=128MB",
  ];
  const command = [...prefix, postgres, "-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const child = spawn(command[0], command.slice(1), {
    cwd: folder,
    env: { LC_ALL: "C", PATH: process.env.PATH, ...environment },
    stdio: "ignore",
    ...user,
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const administratorUrl = (name) => `postgres://postgres@/${name}?host=${encodeURIComponent(folder)}`;
  const stop = async () => {
    child.kill("SIGINT");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (let tries = 0; ; tries++)
      try {
        await (await openDatabase({ dataFolder: "", url: administratorUrl("postgres") })).close();
        break;
      } catch (error) {
        if (tries === 50) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
  } catch (error) {
    await stop();
    throw error;
  }
  const createDatabase = async (name) => {
    const database = await openDatabase({ dataFolder: "", url: administratorUrl("postgres") });
    await database.pool("public", { max: 1 }).rows(statement("", `create database ${name}`), []);
    await database.close();
    return administratorUrl(name);
  };
  return { administratorUrl, createDatabase, stop };
};
