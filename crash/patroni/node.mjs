/** A node of the cluster, as one machine: etcd, Patroni and the PostgreSQL that Patroni starts. */
import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { chown, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { signal } from "../processes.mjs";
import { renderConfiguration } from "./configuration.mjs";
import { inside, processesOf } from "./network.mjs";
import { POSTGRES_USER } from "./requirements.mjs";

/** How long Patroni may take to answer; longer than its own wait for a frozen PostgreSQL is not useful. @units milliseconds */
const STATUS_TIMEOUT_MS = 2_000;

/**
 * @shape requirements: of `findRequirements`. values: placeholders of the configuration files, the same for all nodes.
 * -> `{ name, address, start(), pids(), kill(), … }`
 */
export const createNode = async ({ name, address, folder, requirements, values }) => {
  const { patroni, postgres, uid, gid } = requirements;
  const own = join(folder, name);
  const data = join(own, "data");
  await mkdir(own, { mode: 0o700 });
  const settings = {
    ...values,
    name,
    address,
    data,
    binaries: postgres,
    sockets: own,
    pgpass: join(own, "pgpass"),
    etcdData: join(own, "etcd"),
  };
  const files = Object.fromEntries(["etcd.yml", "patroni.yml"].map((file) => [file, join(own, file)]));
  for (const [file, path] of Object.entries(files)) await writeFile(path, await renderConfiguration(file, settings));
  for (const path of [own, ...Object.values(files)]) await chown(path, uid, gid);

  const programs = {
    etcd: { command: ["etcd", "--config-file", files["etcd.yml"]], env: {} },
    patroni: { command: [patroni.command, ...patroni.args, files["patroni.yml"]], env: patroni.env },
  };
  const children = {};

  /** Starts programs that do not run. */
  const start = (...names) => {
    for (const program of names.length > 0 ? names : Object.keys(programs)) {
      if (children[program] && children[program].exitCode === null && children[program].signalCode === null) continue;
      const { command, env } = programs[program];
      const log = openSync(join(folder, `${name}-${program}.log`), "a");
      const user = ["setpriv", `--reuid=${POSTGRES_USER}`, `--regid=${POSTGRES_USER}`, "--clear-groups"];
      const [first, ...args] = inside(name, [...user, ...command]);
      children[program] = spawn(first, args, {
        stdio: ["ignore", log, log],
        // Ctrl-C signals the terminal's process group, and is not a fault of the run.
        detached: true,
        env: { ...process.env, ...env },
        cwd: own,
      });
    }
  };

  return {
    name,
    address,
    start,
    /** Process id of etcd or Patroni. */
    pidOf: (program) => children[program]?.pid,
    pids: () => processesOf(name),
    postmaster: async () => Number.parseInt(await readFile(join(data, "postmaster.pid"), "utf8"), 10),
    /** SIGKILL to all programs, as a power failure of the machine, except that the operating system keeps what it holds in memory. */
    async kill() {
      for (let pids = await processesOf(name); pids.length > 0; pids = await processesOf(name))
        for (const pid of pids) signal(pid, "SIGKILL");
    },
    /** -> the answer of Patroni's API; undefined without an answer */
    async ask(path) {
      try {
        const answer = await fetch(`http://${address}:8008${path}`, { signal: AbortSignal.timeout(STATUS_TIMEOUT_MS) });
        return await answer.json();
      } catch {
        return undefined;
      }
    },
  };
};
