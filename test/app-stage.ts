import { cp, mkdir, writeFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, jest } from "@jest/globals";
import { main } from "@parley/parley";
import { familyOf, ROOT, survivors, temporaryFolder, type Outcome } from "./running.ts";

/** An app that runs by `parley run`, and a terminal in its folder. */
export interface AppStage {
  readonly folder: string;
  write(file: string, text: string): Promise<void>;
  /** A command in this process, as if given in the app's folder. */
  call(...args: readonly string[]): Promise<Outcome>;
  /** -> what a command that succeeds prints. */
  done(...args: readonly string[]): Promise<string>;
  /** -> the one line that a command which fails says. */
  failed(...args: readonly string[]): Promise<string>;
  /** A command that runs on. -> its output so far, and what ends it */
  beside(...args: readonly string[]): { readonly said: () => string; end(): Promise<number | null> };
  close(): Promise<void>;
}

const bin = join(ROOT, "packages/parley/bin/parley.mjs");

const background = (cwd: string, args: readonly string[]) => {
  const { DATABASE_URL: _url, PARLEY_DATA: _data, NODE_OPTIONS: _options, ...inherited } = process.env;
  const env = { ...inherited, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" };
  const child = spawn(process.execPath, [bin, ...args], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    said: () => said,
    async end() {
      const family = await familyOf(child.pid ?? 0);
      child.kill("SIGINT");
      for (const left of await survivors(family, 8_000)) process.kill(left, "SIGKILL");
      return ended;
    },
  };
};

/** A fixture app, changed by some files, in a folder outside of the repository; runs where that is asked for. */
export async function appStage(
  files: Readonly<Record<string, string>> = {},
  run: readonly string[] | undefined = ["--install"],
): Promise<AppStage> {
  const base = await temporaryFolder();
  const folder = join(base.folder, "app");
  await cp(join(ROOT, "packages/framework/test/fixtures/listener"), folder, { recursive: true });
  const write = async (file: string, text: string) => {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), text);
  };
  for (const [file, text] of Object.entries(files)) await write(file, text);
  const running = run && background(folder, ["run", "--json", ...run]);
  while (running && !running.said().includes("\n")) await wait(20);

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
    beside: (...args) => background(folder, args),
    async close() {
      await running?.end();
      await base.remove();
    },
  };
}
