import { jest } from "@jest/globals";
import { main } from "@parley/parley";
import type { CommandResult } from "./parley-process.ts";

/** Runs a command in this process, which is faster than a process of its own. @shape dataFolder: of the running instance */
export const parleyCommand = async (args: readonly string[], dataFolder: string): Promise<CommandResult> => {
  const output = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    jest.spyOn(process[name], "write").mockImplementation((chunk) => {
      output[name] += String(chunk);
      return true;
    }),
  );
  process.env["PARLEY_DATA"] = dataFolder;
  try {
    return { status: await main(args), ...output };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
};
