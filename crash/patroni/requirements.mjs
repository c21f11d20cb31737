/** Finds the programs of a replicated PostgreSQL, and says what to install when one is missing. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Earlier versions lose acknowledged writes: a frozen primary that resumes takes the leader lock back. */
const MINIMUM_PATRONI = [3, 0, 3];
/** Python of the system, whose packages apt installs. */
const SYSTEM_PYTHON = "/usr/bin/python3";
const PYTHON_MODULES = ["psycopg2", "etcd", "yaml", "click", "dateutil", "psutil", "prettytable", "urllib3"];
const FIND_ABSENT =
  "import importlib.util as util, sys; print(*(name for name in sys.argv[1:] if util.find_spec(name) is None))";
const POSTGRES_FOLDER = "/usr/lib/postgresql";
const MINIMUM_POSTGRES = 15;
/** User that runs PostgreSQL, which refuses to run as root. */
export const POSTGRES_USER = "postgres";
const PROGRAMS = { etcd: "etcd-server", haproxy: "haproxy", ip: "iproute2", nft: "nftables", setpriv: "util-linux" };

const output = (command, args, env = {}) => {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8", env: { ...process.env, ...env } });
  return status === 0 ? stdout.trim() : undefined;
};

const isRecent = (version) => {
  const [own, least] = [version, MINIMUM_PATRONI].map(([major, minor, patch]) => major * 1e6 + minor * 1e3 + patch);
  return own >= least;
};

/** -> how to start Patroni, from its source or as it is installed; undefined when there is no recent version. @shape `{ command, args, env, version }` */
const findPatroni = (source) => {
  const candidates = [
    ...(source === undefined
      ? []
      : [{ command: SYSTEM_PYTHON, args: [join(source, "patroni.py")], env: { PYTHONPATH: source } }]),
    { command: "patroni", args: [], env: {} },
  ];
  for (const { command, args, env } of candidates) {
    const text = output(command, [...args, "--version"], env);
    const version = /(\d+)\.(\d+)\.(\d+)/
      .exec(text ?? "")
      ?.slice(1)
      .map(Number);
    if (version && isRecent(version)) return { command, args, env, version: version.join(".") };
  }
  return undefined;
};

/** -> the folder of PostgreSQL's programs; the newest version. The embedded server lacks pg_basebackup and pg_rewind. */
const findPostgres = () => {
  const versions = existsSync(POSTGRES_FOLDER) ? readdirSync(POSTGRES_FOLDER).map(Number) : [];
  const [version] = versions.filter((each) => each >= MINIMUM_POSTGRES).sort((a, b) => b - a);
  const folder = join(POSTGRES_FOLDER, String(version), "bin");
  return version !== undefined && existsSync(join(folder, "pg_rewind")) ? folder : undefined;
};

const idOf = (flag) => Number(output("id", [flag, POSTGRES_USER]) ?? NaN);

/**
 * -> the programs of a cluster. @shape `{ patroni: { command, args, env, version }, postgres: folder, uid, gid }`
 * @errors Error that names everything that is missing, and what to install
 */
export const findRequirements = (environment = process.env) => {
  const missing = [];
  if (process.platform !== "linux" || process.getuid() !== 0)
    missing.push("Linux and root, because each node gets a network namespace of its own");
  for (const [program, packageName] of Object.entries(PROGRAMS))
    if (output("sh", ["-c", `command -v ${program}`]) === undefined)
      missing.push(`${program}: apt-get install ${packageName}`);
  const postgres = findPostgres();
  if (postgres === undefined)
    missing.push(`PostgreSQL ${MINIMUM_POSTGRES} or later with pg_rewind: apt-get install postgresql`);
  const absent = output(SYSTEM_PYTHON, ["-c", FIND_ABSENT, ...PYTHON_MODULES]) ?? PYTHON_MODULES.join(" ");
  for (const module of absent.split(" ").filter(Boolean))
    missing.push(`the Python module ${module}: apt-get install python3-${module}`);
  const patroni = findPatroni(environment.PATRONI_SOURCE);
  if (patroni === undefined)
    missing.push(
      `Patroni ${MINIMUM_PATRONI.join(".")} or later (Debian 12 has 3.0.2, which loses acknowledged writes): install it, or set PATRONI_SOURCE to the folder of its source, from https://github.com/patroni/patroni/releases`,
    );
  if (missing.length > 0) throw new Error(`A replicated PostgreSQL needs:\n  ${missing.join("\n  ")}`);
  return { patroni, postgres, uid: idOf("-u"), gid: idOf("-g") };
};
