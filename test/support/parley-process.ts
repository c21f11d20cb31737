import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { familyOf, killAll, survivors } from "../../packages/framework/test/support/process-tree.ts";

export { familyOf, killAll, survivors };

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The line that `--json` prints. */
export interface Announcement {
  readonly service: string;
  readonly app: string;
  readonly installPage: string;
  readonly account: string;
  readonly token: string;
  /** Address of the console. */
  readonly console: string;
  /** Address of the demo shop, whose page embeds the messenger. */
  readonly messenger: string;
  /** Link that signs in the account's owner once. */
  readonly signIn: string;
}

/** Result of a finished command. */
export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const collect = (child: ChildProcess) => {
  const output = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  return output;
};

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) =>
    child.exitCode !== null || child.signalCode !== null ? resolve(child.exitCode) : child.once("close", resolve),
  );

const environment = (env: Record<string, string | undefined>) => {
  const { DATABASE_URL: _url, PARLEY_DATA: _data, NODE_OPTIONS: _options, ...rest } = process.env;
  return {
    ...rest,
    PARLEY_SERVICE_PORT: "0",
    PARLEY_APP_PORT: "0",
    PARLEY_SHOP_PORT: "0",
    PARLEY_CALLS_PER_HOUR: "1000000",
    ...env,
  };
};

export interface RunOptions {
  readonly env?: Record<string, string | undefined>;
  readonly cwd?: string;
  readonly input?: string;
  /** Keeps standard input open after `input`. */
  readonly keepInput?: boolean;
  /** Called with the whole standard output whenever more output arrives. */
  readonly onOutput?: (stdout: string) => void;
}

/** Runs a command of the project to its end. */
export async function run(
  argv: readonly string[],
  { env = {}, cwd = ROOT, input = "", keepInput, onOutput }: RunOptions = {},
): Promise<CommandResult> {
  const [file = "", ...args] = argv;
  const child = spawn(file, args, { cwd, env: environment(env), stdio: ["pipe", "pipe", "pipe"] });
  const output = collect(child);
  child.stdout.on("data", () => onOutput?.(output.stdout));
  // A command may end before it has read its input: its status says what it did.
  child.stdin.on("error", () => undefined).write(input);
  if (!keepInput) child.stdin.end();
  return { status: await ended(child), ...output };
}

export const parley = (args: readonly string[], options?: RunOptions) =>
  run([process.execPath, join(ROOT, "packages/parley/bin/parley.mjs"), ...args], options);

export interface RunningParley extends Announcement {
  readonly pid: number;
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Sends a signal to the Node process. Returns its exit status. */
  signal(name: NodeJS.Signals): Promise<number | null>;
  /** Sends SIGTERM, then SIGKILL to remaining processes, so that a failing test leaves no process. */
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly env?: Record<string, string | undefined>;
  /** Folder of the app. */
  readonly folder?: string;
  /** Project folder with the start script. */
  readonly project?: string;
  /** User and group id of the process. Requires root. */
  readonly user?: number;
  /** Wraps the start command in another command. */
  readonly wrapCommand?: (command: readonly string[]) => readonly string[];
  /** Holds standard input open until this process ends. */
  readonly holdsInput?: boolean;
}

/** Runs `npm start -- --json` without npm on a data folder. Resolves when the instance has announced itself. */
export async function startParley(
  dataFolder: string,
  {
    args = [],
    env = {},
    folder = ROOT,
    project = ROOT,
    user,
    wrapCommand = (command) => command,
    holdsInput = false,
  }: StartOptions = {},
): Promise<RunningParley> {
  const [file = "", ...rest] = wrapCommand([process.execPath, join(project, "scripts/start.mjs"), "--json", ...args]);
  const child = spawn(file, rest, {
    cwd: folder,
    env: environment({ PARLEY_DATA: dataFolder, ...env }),
    ...(user === undefined ? {} : { uid: user, gid: user }),
    stdio: [holdsInput ? "pipe" : "ignore", "pipe", "pipe"],
  });
  const output = collect(child);
  const pid = child.pid ?? 0;
  const end = ended(child);
  const announced = (async () => {
    while (!output.stdout.includes("\n")) await wait(10);
    return JSON.parse(output.stdout.trim().split("\n").at(-1) ?? "") as Announcement;
  })();
  const failed = end.then((status) => {
    throw new Error(`start ended with ${status}: ${output.stderr}`);
  });
  failed.catch(() => undefined);
  const announcement = await Promise.race([announced, failed]);
  return {
    ...announcement,
    pid,
    output,
    async signal(name) {
      child.kill(name);
      return end;
    },
    async stop() {
      const family = await familyOf(pid);
      child.kill("SIGTERM");
      killAll(await survivors(family, 8_000));
      await end;
    },
  };
}

/** Id of the process that runs the apps of an instance. @shape pid: of the instance */
export const platformPidOf = async (pid: number): Promise<number> => {
  for (const each of (await familyOf(pid)).slice(1)) {
    const command = await readFile(`/proc/${each}/cmdline`, "utf8").catch(() => "");
    if (command.includes("\0platform-process\0")) return each;
  }
  throw new Error("There is no platform process.");
};

/** Creates a temporary folder. `remove` deletes it. */
export async function temporaryFolder(name = "parley-test-", below = tmpdir()) {
  const folder = await mkdtemp(join(below, name));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
