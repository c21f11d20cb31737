/** Child processes of the bench: each sends what it offers by its first message and stops on the message `end`. */
import { fork } from "node:child_process";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));

const nextMessage = (child) =>
  new Promise((resolve, reject) => {
    const failed = (code) => reject(new Error(`${child.spawnfile} ${child.spawnargs[1]} exited with ${code}`));
    child.once("exit", failed);
    child.once("message", (message) => {
      child.off("exit", failed);
      resolve(message);
    });
  });

/** Starts a server of the bench. -> its first message, its `pid`, `ask`, which sends a word and returns the reply, `onMessage` for later messages, and `stop` */
export const startServer = async (name, ...args) => {
  const child = fork(fileOf(name), args.map(String), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const offer = await nextMessage(child);
  const stop = () =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.send("end");
    });
  const ask = (word) => {
    child.send(word);
    return nextMessage(child);
  };
  const onMessage = (receive) => void child.on("message", receive);
  return { ...offer, pid: child.pid, ask, onMessage, stop };
};

/** Starts the load generator. -> `run(job)` and `stop` */
export const startLoad = () => {
  const child = fork(fileOf("load-generator.mjs"), [], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  return {
    async run(job) {
      child.send(job);
      const { result, error } = await nextMessage(child);
      if (error) throw new Error(error);
      return result;
    },
    stop: () => child.disconnect(),
  };
};

/** Processor time that a process has used, of all its threads. @units seconds, in steps of 0.01 (Linux) */
export const cpuOf = async (pid) => {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const [user, system] = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return (user + system) / 100;
};

/** Resident memory of a process. @units megabytes */
export const memoryOf = async (pid) => {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1_024);
};
