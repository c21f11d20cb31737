import { PassThrough } from "node:stream";
import { jest } from "@jest/globals";
import { main } from "@parley/parley";
import type { CommandResult, RunOptions } from "../../../test/support/parley-process.ts";

/** Runs the work with another value of a property of `process`. */
const withProcessValue = async <T>(name: "stdin", value: unknown, work: () => Promise<T>): Promise<T> => {
  const found = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, { configurable: true, get: () => value });
  try {
    return await work();
  } finally {
    if (found) Object.defineProperty(process, name, found);
  }
};

/** Runs the work with other variables of the environment. @shape env: undefined removes a variable */
const withEnvironment = async <T>(env: NonNullable<RunOptions["env"]>, work: () => Promise<T>): Promise<T> => {
  const set = (values: NonNullable<RunOptions["env"]>) => {
    for (const [name, value] of Object.entries(values))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
  const before = Object.fromEntries(Object.keys(env).map((name) => [name, process.env[name]]));
  set(env);
  try {
    return await work();
  } finally {
    set(before);
  }
};

/**
 * Runs a command of parley in this process: as `parley` in a process of its own, without the second that the process costs. One at a time.
 * @shape input: standard input; absent: that of this process
 */
export const callParley = async (
  args: readonly string[],
  { env = {}, cwd, input }: Pick<RunOptions, "env" | "cwd" | "input"> = {},
): Promise<CommandResult> => {
  const output = { stdout: "", stderr: "" };
  const folder = process.cwd();
  const spies = (["stdout", "stderr"] as const).map((name) =>
    jest.spyOn(process[name], "write").mockImplementation((chunk) => {
      output[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      return true;
    }),
  );
  if (cwd !== undefined) process.chdir(cwd);
  const run = () => withEnvironment({ DATABASE_URL: undefined, ...env }, () => main(args));
  try {
    const stdin = new PassThrough();
    stdin.end(input);
    const status = await (input === undefined ? run() : withProcessValue("stdin", stdin, run));
    return { status, ...output };
  } finally {
    process.chdir(folder);
    for (const spy of spies) spy.mockRestore();
  }
};
