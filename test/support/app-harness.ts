import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, jest } from "@jest/globals";
import { main } from "@parley/parley";
import { waitUntil } from "./wait-until.ts";
import { familyOf, killAll, ROOT, survivors, temporaryFolder, type CommandResult } from "./parley-process.ts";

/** An app that runs under `parley run`, and commands in its folder. */
export interface AppHarness {
  readonly folder: string;
  write(file: string, text: string): Promise<void>;
  /** Runs a command in this process with the app's folder as working directory. */
  call(...args: readonly string[]): Promise<CommandResult>;
  /** Expects the command to succeed. Returns its output. */
  callSuccessfully(...args: readonly string[]): Promise<string>;
  /** Expects the command to fail. Returns its one-line error message. */
  callFailing(...args: readonly string[]): Promise<string>;
  /** Starts a command in the background. `close` ends it. */
  startInBackground(...args: readonly string[]): BackgroundCommand;
  close(): Promise<void>;
}

const bin = join(ROOT, "packages/parley/bin/parley.mjs");

interface BackgroundCommand {
  readonly output: () => string;
  readonly hasEnded: () => boolean;
  end(): Promise<number | null>;
}

const background = (cwd: string, args: readonly string[]): BackgroundCommand => {
  const { DATABASE_URL: _url, PARLEY_DATA: _data, NODE_OPTIONS: _options, ...inherited } = process.env;
  const env = { ...inherited, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" };
  const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  let hasEnded = false;
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  void ended.then(() => (hasEnded = true));
  return {
    output: () => output,
    hasEnded: () => hasEnded,
    async end() {
      if (hasEnded) return ended;
      const family = await familyOf(child.pid ?? 0);
      child.kill("SIGINT");
      killAll(await survivors(family, 8_000));
      return ended;
    },
  };
};

/** Waits for the line that announces the app's addresses. @errors Error if the command ends without it */
const waitForAnnouncement = async ({ output, hasEnded }: BackgroundCommand): Promise<void> => {
  await waitUntil(() => output().includes("\n") || hasEnded());
  if (!output().startsWith('{"pid"')) throw new Error(`The app doesn't run: ${output()}`);
};

const LISTENER_APP = join(ROOT, "packages/framework/test/fixtures/listener");

/**
 * Copies an app (by default a fixture) into a folder outside the repository, changes some of its files, and runs it unless `run` is false.
 * @shape files: by path, `undefined` removes a file; source: folder of the app
 */
export async function appHarness(
  files: Readonly<Record<string, string | undefined>> = {},
  run: readonly string[] | false = ["--install"],
  source = LISTENER_APP,
): Promise<AppHarness> {
  const base = await temporaryFolder();
  const folder = join(base.folder, "app");
  await cp(source, folder, { recursive: true });
  const write = async (file: string, text: string) => {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files))
    await (text === undefined ? rm(join(folder, file)) : write(file, text));
  const started: BackgroundCommand[] = [];
  const startInBackground = (args: readonly string[]): BackgroundCommand => {
    const one = background(folder, args);
    started.push(one);
    return one;
  };
  const close = async () => {
    for (const one of started.reverse()) await one.end();
    await base.remove();
  };
  try {
    if (run) await waitForAnnouncement(startInBackground(["run", "--json", ...run]));
  } catch (error) {
    await close();
    throw error;
  }

  const call: AppHarness["call"] = async (...args) => {
    const output = { stdout: "", stderr: "" };
    const spies = (["stdout", "stderr"] as const).map((name) =>
      jest.spyOn(process[name], "write").mockImplementation((chunk) => {
        output[name] += String(chunk);
        return true;
      }),
    );
    const cwd = jest.spyOn(process, "cwd").mockReturnValue(folder);
    delete process.env["PARLEY_DATA"];
    try {
      return { status: await main(args), ...output };
    } finally {
      for (const spy of [...spies, cwd]) spy.mockRestore();
    }
  };
  return {
    folder,
    write,
    call,
    async callSuccessfully(...args) {
      const { status, stdout, stderr } = await call(...args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return stdout;
    },
    async callFailing(...args) {
      const { status, stdout, stderr } = await call(...args);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
      return stderr;
    },
    startInBackground: (...args) => startInBackground(args),
    close,
  };
}
