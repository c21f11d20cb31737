import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { testingConfig, cleanEnvironment } from "./config.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

/** The command as npm links it, in a folder or one above it. */
const linkedFrom = (folder: string): string | undefined => {
  const link = join(folder, "node_modules", ".bin", "parley");
  if (existsSync(link)) return link;
  const above = dirname(folder);
  return above === folder ? undefined : linkedFrom(above);
};

/** The file that the command `parley` starts with. @errors Error that says what to do */
const findBin = (folder: string): string => {
  const found = testingConfig().bin ?? linkedFrom(folder) ?? linkedFrom(process.cwd());
  if (found !== undefined) return found;
  throw new Error(
    `The app can't be started: @parley/parley is not installed in ${folder} or above it. Install it from the same release as @parley/framework with 'npm install --save-dev <file>', or set PARLEY_BIN to its bin/parley.mjs.`,
  );
};

/** Output of `parley run --json` for an app, and for all apps. */
interface RunningApp {
  readonly name: string;
  readonly folder: string;
  readonly app: string;
  readonly installPage: string;
}
export interface Announcement {
  readonly pid: number;
  /** Address of the service with the version segment. */
  readonly service: string;
  readonly account: string;
  readonly token: string;
  readonly dataFolder: string;
  readonly apps: readonly RunningApp[];
}

interface StartedInstance {
  readonly announcement: Announcement;
  /** Standard error output so far, including the app's lines. */
  readonly errorOutput: () => string;
  /** Stops the instance and every process that it started. */
  readonly stop: () => Promise<void>;
}

/** The key of what only the instance's owner may ask. */
export const instanceAdminKey = async ({ dataFolder }: Pick<Announcement, "dataFolder">): Promise<string> =>
  (await readFile(join(dataFolder, "admin-key"), "utf8")).trim();

/** Maximum time for an instance to exit by itself. @units milliseconds */
const STOP_TIMEOUT_MS = 8_000;

interface InstanceOptions {
  readonly folder: string;
  /** Parameters with which the app is installed; the app is not installed when absent. */
  readonly values?: object | undefined;
  readonly maps: Readonly<Record<string, string>>;
}

/** Starts an app in a process of its own, of which nothing stays; it also ends when this process does. @errors Error */
export async function startInstance({ folder, values, maps }: InstanceOptions): Promise<StartedInstance> {
  const installed = values ? ["--iparams", "-"] : [];
  const mapped = Object.entries(maps).flatMap(([host, origin]) => ["--map", `${host}=${origin}`]);
  const child = spawn(
    process.execPath,
    [findBin(folder), "run", folder, "--ephemeral", "--still", "--json", ...installed, ...mapped],
    {
      cwd: folder,
      env: cleanEnvironment(),
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  // The values may be secret, so they are passed neither as arguments nor in a file.
  child.stdin.on("error", () => undefined).end(values ? JSON.stringify(values) : "");
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8");
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = once(child, "close");

  const announced = new Promise<Announcement>((resolve, reject) => {
    child.stdout.on("data", (text: string) => {
      stdout += text;
      if (stdout.includes("\n") && !stdout.startsWith('{"findings"')) resolve(JSON.parse(stdout) as Announcement);
    });
    child.once("error", reject);
    child.once("close", () => reject(new Error(`The app in ${folder} could not be started:\n${stderr}`)));
  });
  const announcement = await announced;
  // A test run that forgets to close it is not held up: it ends when that run has ended.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref();

  return {
    announcement,
    errorOutput: () => stderr,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      child.kill("SIGTERM");
      const tooLong = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(tooLong);
    },
  };
}
