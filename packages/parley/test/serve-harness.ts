import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { familyOf, killAll, ROOT, survivors, temporaryFolder } from "../../../test/support/parley-process.ts";
import { platformClient, type PlatformClient } from "./platform-client.ts";

/** The line that `parley serve --json` prints. */
interface ServeAnnouncement {
  readonly pid: number;
  readonly service: string;
  readonly platform: string;
  readonly apps: string;
  readonly workers: readonly number[];
  readonly appWorkers: readonly number[];
  /** Address of the metrics, where PARLEY_METRICS_PORT is set. */
  readonly metrics?: string;
  readonly token: string;
}

/** The built command `parley serve --demo` on the embedded database, with its processes. */
export interface ServeHarness extends PlatformClient {
  readonly announced: ServeAnnouncement;
  readonly dataFolder: string;
  readonly adminKey: string;
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Sends SIGTERM to the command. -> ids of processes that still run after eight seconds */
  stop(): Promise<number[]>;
}

export async function startServe(
  args: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<ServeHarness> {
  const data = await temporaryFolder();
  const { NODE_OPTIONS: _options, DATABASE_URL: _url, ...rest } = process.env;
  const child = spawn(
    process.execPath,
    [
      join(ROOT, "packages/parley/bin/parley.mjs"),
      "serve",
      "--demo",
      "--json",
      "--port",
      "0",
      "--app-port",
      "0",
      ...args,
    ],
    {
      cwd: data.folder,
      env: { ...rest, PARLEY_DATA: data.folder, PARLEY_CALLS_PER_HOUR: "1000000", ...more },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  await waitUntil(
    () => {
      if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${output.stderr}`);
      return output.stdout.includes("\n");
    },
    { details: () => output.stderr },
  ).catch((error: unknown) => {
    child.kill("SIGTERM");
    throw error;
  });
  const announced = JSON.parse(output.stdout) as ServeAnnouncement;
  const adminKey = (await readFile(join(data.folder, "admin-key"), "utf8")).trim();
  return {
    ...platformClient({
      platformOrigin: announced.platform,
      serviceOrigin: new URL(announced.service).origin,
      adminKey,
      log: () => output.stderr,
    }),
    announced,
    dataFolder: data.folder,
    adminKey,
    output,
    async stop() {
      const family = await familyOf(child.pid ?? 0);
      child.kill("SIGTERM");
      const left = await survivors(family, 8_000);
      killAll(left);
      await data.remove();
      return left;
    },
  };
}
