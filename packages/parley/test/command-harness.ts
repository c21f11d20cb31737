import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, jest } from "@jest/globals";
import { main } from "@parley/parley";
import {
  parley,
  startParley,
  temporaryFolder,
  type CommandResult,
  type RunningParley,
} from "../../../test/parley-process.ts";

/** A running instance, and commands with its data folder. */
export interface CommandHarness {
  readonly folder: string;
  readonly running: RunningParley;
  /** URL of the service without the version segment. */
  readonly origin: string;
  /** Runs a command in a separate process, as a shell does. */
  run(args: readonly string[], input?: string): Promise<CommandResult>;
  /** Runs a command in this process, which is faster. `input` is passed as a file. */
  call(args: readonly string[], input?: string, folder?: string): Promise<CommandResult>;
  /** Expects the command to succeed. Returns its output. */
  callSuccessfully(args: readonly string[], input?: string): Promise<string>;
  /** Expects the command to fail. Returns its one-line error message. */
  callFailing(args: readonly string[], input?: string): Promise<string>;
  /** Starts the instance again on its data folder. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function commandHarness(): Promise<CommandHarness> {
  const data = await temporaryFolder();
  const start = () => startParley(data.folder, { args: ["--no-install"], env: { PARLEY_CALLS_PER_HOUR: "" } });
  let running = await start();

  const call: CommandHarness["call"] = async (args, input, folder = data.folder) => {
    const output = { stdout: "", stderr: "" };
    const spies = (["stdout", "stderr"] as const).map((name) =>
      jest.spyOn(process[name], "write").mockImplementation((chunk) => {
        output[name] += String(chunk);
        return true;
      }),
    );
    process.env["PARLEY_DATA"] = folder;
    const file = join(data.folder, "document.json");
    if (input !== undefined) await writeFile(file, input);
    try {
      const status = await main(args.map((arg) => (arg === "-" && input !== undefined ? file : arg)));
      return { status, ...output };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  };

  return {
    folder: data.folder,
    get running() {
      return running;
    },
    get origin() {
      return new URL(running.service).origin;
    },
    run: (args, input = "") => parley(args, { env: { PARLEY_DATA: data.folder }, input }),
    call,
    async callSuccessfully(args, input) {
      const { status, stdout, stderr } = await call(args, input);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return stdout;
    },
    async callFailing(args, input) {
      const { status, stdout, stderr } = await call(args, input);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
      return stderr;
    },
    async restart() {
      running = await start();
    },
    async close() {
      await running.stop();
      await data.remove();
    },
  };
}
