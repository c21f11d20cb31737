import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, jest } from "@jest/globals";
import { main } from "@parley/parley";
import { familyOf, killAll, ROOT, survivors, temporaryFolder, type Outcome } from "./running.ts";

/** An app that runs under `parley run`, and commands in its folder. */
export interface AppStage {
  readonly folder: string;
  write(file: string, text: string): Promise<void>;
  /** Runs a command in this process with the app's folder as working directory. */
  call(...args: readonly string[]): Promise<Outcome>;
  /** Expects the command to succeed. Returns its output. */
  done(...args: readonly string[]): Promise<string>;
  /** Expects the command to fail. Returns its one-line error message. */
  failed(...args: readonly string[]): Promise<string>;
  /** Starts a command in the background. `close` ends it. */
  beside(...args: readonly string[]): Background;
  close(): Promise<void>;
}

const bin = join(ROOT, "packages/parley/bin/parley.mjs");

interface Background {
  readonly said: () => string;
  readonly isOver: () => boolean;
  end(): Promise<number | null>;
}

const background = (cwd: string, args: readonly string[]): Background => {
  const { DATABASE_URL: _url, PARLEY_DATA: _data, NODE_OPTIONS: _options, ...inherited } = process.env;
  const env = { ...inherited, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" };
  const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  let isOver = false;
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  void ended.then(() => (isOver = true));
  return {
    said: () => said,
    isOver: () => isOver,
    async end() {
      if (isOver) return ended;
      const family = await familyOf(child.pid ?? 0);
      child.kill("SIGINT");
      killAll(await survivors(family, 8_000));
      return ended;
    },
  };
};

/** Waits for the line that announces the app's addresses. @errors Error if the command ends without it */
const announced = async ({ said, isOver }: Background): Promise<void> => {
  while (!said().includes("\n") && !isOver()) await wait(20);
  if (!said().startsWith('{"pid"')) throw new Error(`The app doesn't run: ${said()}`);
};

const LISTENER = join(ROOT, "packages/framework/test/fixtures/listener");

/**
 * Copies an app (by default a fixture) into a folder outside the repository, changes some of its files, and runs it unless `run` is false.
 * @shape files: by path, `undefined` removes a file; source: folder of the app
 */
export async function appStage(
  files: Readonly<Record<string, string | undefined>> = {},
  run: readonly string[] | false = ["--install"],
  source = LISTENER,
): Promise<AppStage> {
  const base = await temporaryFolder();
  const folder = join(base.folder, "app");
  await cp(source, folder, { recursive: true });
  const write = async (file: string, text: string) => {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files))
    await (text === undefined ? rm(join(folder, file)) : write(file, text));
  const begun: Background[] = [];
  const beside = (args: readonly string[]): Background => {
    const one = background(folder, args);
    begun.push(one);
    return one;
  };
  const close = async () => {
    for (const one of begun.reverse()) await one.end();
    await base.remove();
  };
  try {
    if (run) await announced(beside(["run", "--json", ...run]));
  } catch (error) {
    await close();
    throw error;
  }

  const call: AppStage["call"] = async (...args) => {
    const said = { stdout: "", stderr: "" };
    const spies = (["stdout", "stderr"] as const).map((name) =>
      jest.spyOn(process[name], "write").mockImplementation((chunk) => {
        said[name] += String(chunk);
        return true;
      }),
    );
    const cwd = jest.spyOn(process, "cwd").mockReturnValue(folder);
    delete process.env["PARLEY_DATA"];
    try {
      return { status: await main(args), ...said };
    } finally {
      for (const spy of [...spies, cwd]) spy.mockRestore();
    }
  };
  return {
    folder,
    write,
    call,
    async done(...args) {
      const { status, stdout, stderr } = await call(...args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return stdout;
    },
    async failed(...args) {
      const { status, stdout, stderr } = await call(...args);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
      return stderr;
    },
    beside: (...args) => beside(args),
    close,
  };
}
