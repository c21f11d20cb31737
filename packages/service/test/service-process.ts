import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parleyClient, type ParleyClient } from "@parley/client";
import { statement, type Database } from "@parley/database";
import { testUrl } from "@parley/database/testing";
import { SERVICE_SCHEMA } from "../src/index.ts";
import type { StreamRules } from "../src/events/stream/stream-rules.ts";

const SCRIPT = fileURLToPath(new URL("./fixtures/service-process.mjs", import.meta.url));
const NAME = statement("", "select current_database() as name");

/** The service in its own process. */
export interface ServiceProcess {
  readonly client: ParleyClient;
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  /** SIGSTOP suspends the process; SIGCONT resumes it. */
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** SIGKILL: nothing is stored or logged any more. */
  kill(): Promise<void>;
}

/**
 * Starts a process on a test's database, and on a test's folder of objects if one is given.
 * @shape streamRules: need a folder
 */
export async function serviceProcess(
  database: Database,
  objectsFolder?: string,
  streamRules?: StreamRules,
): Promise<ServiceProcess> {
  const found = await database.pool(SERVICE_SCHEMA, { max: 1 }).one<{ name: string }>(NAME, []);
  const address = testUrl(found?.name ?? "");
  const options = [...(objectsFolder ? [objectsFolder] : []), ...(streamRules ? [JSON.stringify(streamRules)] : [])];
  const child = spawn(process.execPath, [SCRIPT, address, ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((end) => child.once("exit", () => end()));
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout })
      .once("line", resolve)
      .once("close", () => reject(new Error("the process ended before it printed its address")));
  });
  const reached = JSON.parse(line) as { url: string; token: string };
  return {
    client: parleyClient(reached),
    ...reached,
    pid: child.pid ?? 0,
    signal: (name) => void child.kill(name),
    kill: () => {
      child.kill("SIGKILL");
      return ended;
    },
  };
}
