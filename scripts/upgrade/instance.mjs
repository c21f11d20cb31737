/** A process of `parley serve` in one of the releases, as one machine of an installation runs it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Longer than two probes of the load balancer. @units seconds */
const STOP_DELAY = 2;
const START_TIMEOUT_MS = 120_000;

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Settings that all machines share. @shape `settings`: variables; `folder`: of the run */
const environmentOf = ({ settings, folder }, machine) => ({
  ...process.env,
  ...settings,
  PARLEY_DATA: join(folder, machine),
  PARLEY_OBJECTS: join(folder, "objects"),
  PARLEY_SERVICE_PORT: "0",
  PARLEY_APP_PORT: "0",
  PARLEY_CALLS_PER_HOUR: "1000000000",
  PARLEY_STOP_DELAY_SECONDS: String(STOP_DELAY),
  PARLEY_LOG_FORMAT: "json",
  PARLEY_WEBHOOK_LOOPBACK: "on",
});

/**
 * Starts a machine. @shape release: `{ name, script }`; `args`: of the command
 * -> `{ machine, release, origin, errors, stop, kill }`; errors: lines of the log of the level error
 */
export const startMachine = async (run, machine, release, args = []) => {
  mkdirSync(join(run.folder, machine), { recursive: true });
  const child = spawn(process.execPath, [release.script, "serve", "--json", ...args], {
    env: environmentOf(run, machine),
    cwd: run.folder,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  const errors = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    appendFileSync(join(run.folder, `${machine}.log`), `${line}\n`);
    if (line.includes('"level":"error"')) errors.push(line);
  });
  const exited = once(child, "close").finally(() => running.delete(child));
  const announced = once(createInterface({ input: child.stdout }), "line");
  const late = AbortSignal.timeout(START_TIMEOUT_MS);
  const [line] = await Promise.race([
    announced,
    exited.then(() => [undefined]),
    once(late, "abort").then(() => [undefined]),
  ]);
  if (line === undefined)
    throw new Error(`${release.name} does not start on ${machine}; its log is ${join(run.folder, `${machine}.log`)}`);
  const offer = JSON.parse(line);
  const { service } = offer;
  const end = async (signal) => {
    child.kill(signal);
    await exited;
  };
  return {
    machine,
    release: release.name,
    origin: new URL(service).origin,
    offer,
    errors,
    /** Stops the process as a supervisor does. */
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
  };
};

/** Runs a command of a release on a machine. -> `{ status, stdout, stderr }` */
export const runCommand = (run, machine, release, args) =>
  spawnSync(process.execPath, [release.script, ...args], {
    env: environmentOf(run, machine),
    cwd: run.folder,
    encoding: "utf8",
  });
