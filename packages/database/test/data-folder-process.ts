import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll } from "@jest/globals";
import type { SystemUser } from "../src/embedded/identity.ts";

const SCRIPT = fileURLToPath(new URL("fixtures/data-folder-process.mjs", import.meta.url));

/** A process that opened a data folder, or failed to. */
export interface DataFolderProcess {
  readonly child: ChildProcess;
  /** Its first line: `marks <n>`, or the error's name and message. */
  readonly firstLine: string;
  readonly ended: Promise<void>;
}

const running = new Set<ChildProcess>();
// A failed test leaves no process.
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts another process on a data folder and waits for its line. */
export async function startDataFolderProcess(
  folder: string,
  mode: "hold" | "count",
  as?: SystemUser,
  env: NodeJS.ProcessEnv = process.env,
): Promise<DataFolderProcess> {
  const [program = "", ...args] = [...(as?.prefix ?? []), process.execPath, SCRIPT, folder, mode];
  const child = spawn(program, args, { cwd: "/", env, stdio: ["ignore", "pipe", "inherit"], ...as?.user });
  running.add(child);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  void ended.then(() => running.delete(child));
  const firstLine = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout })
      .once("line", resolve)
      .once("close", () => resolve("nothing"));
  });
  if (mode === "count") await ended;
  return { child, firstLine, ended };
}

/** Pids of the processes whose working folder is this folder or below it. */
export const processesIn = (folder: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readlinkSync(`/proc/${name}/cwd`).startsWith(folder);
      } catch {
        return false;
      }
    })
    .map(Number);

/** Pids of the shells that end a data folder's server when Node ends. */
export const guardsIn = (folder: string): number[] =>
  processesIn(folder).filter((pid) => readFileSync(`/proc/${pid}/comm`, "utf8") === "sh\n");

/** Pid of the postmaster of a data folder. */
export const postmasterOf = (dataFolder: string): number =>
  Number.parseInt(readFileSync(join(dataFolder, "postgres", "cluster", "postmaster.pid"), "utf8"), 10);
