import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, jest } from "@jest/globals";
import { main } from "@parley/parley";
import { parley, startParley, temporaryFolder, type Outcome, type Running } from "../../../test/running.ts";

/** A running instance, and a terminal beside it. */
export interface Terminal {
  readonly folder: string;
  readonly running: Running;
  /** Of the service, without the version segment. */
  readonly origin: string;
  /** A command in a process of its own, as a shell starts one. */
  run(args: readonly string[], input?: string): Promise<Outcome>;
  /** The same in this process, which spares each the start of another; an input comes as a file. */
  call(args: readonly string[], input?: string, folder?: string): Promise<Outcome>;
  /** -> what a command that succeeds prints. */
  done(args: readonly string[], input?: string): Promise<string>;
  /** -> the one line that a command which fails says. */
  failed(args: readonly string[], input?: string): Promise<string>;
  /** Starts it again on its data folder. */
  again(): Promise<void>;
  close(): Promise<void>;
}

export async function terminal(): Promise<Terminal> {
  const data = await temporaryFolder();
  const begin = () => startParley(data.folder, { args: ["--no-install"], env: { PARLEY_CALLS_PER_HOUR: "" } });
  let running = await begin();

  const call: Terminal["call"] = async (args, input, folder = data.folder) => {
    const said = { stdout: "", stderr: "" };
    const spies = (["stdout", "stderr"] as const).map((name) =>
      jest.spyOn(process[name], "write").mockImplementation((chunk) => {
        said[name] += String(chunk);
        return true;
      }),
    );
    process.env["PARLEY_DATA"] = folder;
    const file = join(data.folder, "document.json");
    if (input !== undefined) await writeFile(file, input);
    try {
      const status = await main(args.map((word) => (word === "-" && input !== undefined ? file : word)));
      return { status, ...said };
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
    async done(args, input) {
      const { status, stdout, stderr } = await call(args, input);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      return stdout;
    },
    async failed(args, input) {
      const { status, stdout, stderr } = await call(args, input);
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toMatch(/^parley: [^\n]+\n$/);
      return stderr;
    },
    async again() {
      running = await begin();
    },
    async close() {
      await running.stop();
      await data.remove();
    },
  };
}
