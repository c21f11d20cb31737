/** The programs that a run starts, kills, pauses and restarts. All of them end with the run. */
import { fork, spawnSync } from "node:child_process";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as elapse } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** How long a program may take to start, including failed attempts. @units milliseconds */
const START_TIMEOUT_MS = 60_000;
/** How long a program may take to stop when asked. @units milliseconds */
const STOP_TIMEOUT_MS = 10_000;

const runningPids = new Set();
process.on("exit", () => {
  for (const pid of runningPids) signal(pid, "SIGKILL");
});

/** Sends a signal; does nothing when the process has ended. */
export const signal = (pid, name) => {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
};

/** -> process ids and command lines of the children of a process */
export const childrenOf = (parent) =>
  spawnSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" })
    .stdout.split("\n")
    .map((line) => /^ *(\d+) +(\d+) +(.*)$/.exec(line))
    .filter((found) => found && Number(found[2]) === parent)
    .map(([, pid, , title]) => ({ pid: Number(pid), title }));

/** A program of a run; `args` is evaluated at each start. Its first message is what it offers. */
export const program = ({ name, file, args, folder }) => {
  const log = openSync(join(folder, `${name}.log`), "a");
  let child;
  let exited = Promise.resolve();

  const launch = () =>
    new Promise((resolve, reject) => {
      const begun = fork(fileURLToPath(new URL(file, import.meta.url)), args().map(String), {
        stdio: ["ignore", log, log, "ipc"],
      });
      const { pid } = begun;
      runningPids.add(pid);
      child = begun;
      exited = new Promise((end) => {
        begun.once("exit", (code, by) => {
          runningPids.delete(pid);
          end();
          reject(new Error(`${name} ended with ${code ?? by} before it was ready`));
        });
      });
      begun.once("message", resolve);
    });

  return {
    name,
    pid: () => child?.pid,
    /** Starts the program; retries while it exits at once, because a dependency may be unavailable. */
    async start() {
      for (const deadline = performance.now() + START_TIMEOUT_MS; ;) {
        try {
          return await launch();
        } catch (error) {
          if (performance.now() > deadline) throw error;
        }
        await elapse(100);
      }
    },
    /** Sends a message. -> the reply */
    ask(question) {
      return new Promise((resolve, reject) => {
        child.once("message", resolve);
        child.send(question, (error) => error && reject(error));
      });
    },
    async kill() {
      signal(child.pid, "SIGKILL");
      await exited;
    },
    async end() {
      if (!child || !runningPids.has(child.pid)) return;
      signal(child.pid, "SIGCONT");
      child.disconnect();
      const late = setTimeout(() => signal(child.pid, "SIGKILL"), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(late);
    },
  };
};

/** Main loop of a child program: sends `ready`, answers messages, and ends when its parent has ended. */
export const serve = (ready, { end, answer = () => undefined }) => {
  process.on("message", async (question) => process.send(await answer(question)));
  process.once("disconnect", async () => {
    await end();
    process.exit();
  });
  // Ctrl-C signals the whole process group; the parent stops its programs in order.
  process.on("SIGINT", () => undefined);
  process.send(ready);
};
