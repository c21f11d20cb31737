/** Finds the programs of a replicated PostgreSQL, and says what to install when one is missing. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Earlier versions lose acknowledged writes: a frozen primary that resumes takes the leader lock back. */
const MINIMUM_PATRONI = [3, 0, 3];
/** Python of the system, whose packages apt installs. It runs the source of Patroni, unless PATRONI_PYTHON names another interpreter. */
const SYSTEM_PYTHON = "/usr/bin/python3";
const PYTHON_MODULES = ["psycopg2", "etcd", "yaml", "click", "dateutil", "psutil", "prettytable", "urllib3"];
const FIND_ABSENT =
  "import importlib.util as util, sys; print(*(name for name in sys.argv[1:] if util.find_spec(name) is None))";
const POSTGRES_FOLDER = "/usr/lib/postgresql";
const MINIMUM_POSTGRES = 15;
/** User that runs PostgreSQL, which refuses to run as root. */
export const POSTGRES_USER = "postgres";
/** Programs with the option that prints their version: one that lacks a library is found and does not start. @shape `{ program: [option, package] }` */
const PROGRAMS = {
  etcd: ["--version", "etcd-server"],
  haproxy: ["-v", "haproxy"],
  ip: ["-V", "iproute2"],
  nft: ["--version", "nftables"],
  setpriv: ["--version", "util-linux"],
};

const output = (command, args, env = {}) => {
  const { status, stdout } = spawnSync(command, args, { encoding: "utf8", env: { ...process.env, ...env } });
  return status === 0 ? stdout.trim() : undefined;
};

const isRecent = (version) => {
  const [own, least] = [version, MINIMUM_PATRONI].map(([major, minor, patch]) => major * 1e6 + minor * 1e3 + patch);
  return own >= least;
};

/** -> how to start Patroni, from its source or as it is installed; undefined when there is no recent version. @shape `{ command, args, env, version }` */
const findPatroni = (source, python) => {
  const candidates = [
    ...(source === undefined
      ? []
      : [{ command: python, args: [join(source, "patroni.py")], env: { PYTHONPATH: source } }]),
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
  for (const [program, [option, packageName]] of Object.entries(PROGRAMS)) {
    const { status, stderr, error } = spawnSync(program, [option], { encoding: "utf8" });
    if (status === 0) continue;
    const reason = error?.code === "ENOENT" ? "" : ` (it does not start: ${(error?.message ?? stderr).trim()})`;
    missing.push(`${program}: apt-get install ${packageName}${reason}`);
  }
  const postgres = findPostgres();
  if (postgres === undefined)
    missing.push(`PostgreSQL ${MINIMUM_POSTGRES} or later with pg_rewind: apt-get install postgresql`);
  const { PATRONI_SOURCE: source, PATRONI_PYTHON: python = SYSTEM_PYTHON } = environment;
  // An installed Patroni brings its modules.
  if (source !== undefined) {
    const absent = output(python, ["-c", FIND_ABSENT, ...PYTHON_MODULES]) ?? PYTHON_MODULES.join(" ");
    for (const module of absent.split(" ").filter(Boolean))
      missing.push(
        python === SYSTEM_PYTHON
          ? `the Python module ${module}: apt-get install python3-${module}`
          : `the Python module ${module} of ${python}`,
      );
  }
  const patroni = findPatroni(source, python);
  if (patroni === undefined)
    missing.push(
      `Patroni ${MINIMUM_PATRONI.join(".")} or later (Debian 12 has 3.0.2, which loses acknowledged writes): install it, or set PATRONI_SOURCE to the folder of its source, from https://github.com/patroni/patroni/releases`,
    );
  if (missing.length > 0) throw new Error(`A replicated PostgreSQL needs:\n  ${missing.join("\n  ")}`);
  return { patroni, postgres, uid: idOf("-u"), gid: idOf("-g") };
};
