import type { Command } from "commander";
import { lowerPlatformPriority } from "@parley/framework/operation";
import { CommandFailure } from "../environment/failure.ts";
import { PLATFORM_COMMAND } from "./protocol.ts";
import { runPlatformProcess } from "./run-platform.ts";

/** Hidden command: the process of the app hosts, which `parley start` and `parley run` start. */
export const addPlatformProcess = (program: Command, exit: (status: number) => void): void => {
  program
    .command(PLATFORM_COMMAND, { hidden: true })
    .description("internal: a process that 'npx parley start' and 'npx parley run' start")
    .action(async () => {
      if (!process.send) throw new CommandFailure("Run 'npx parley start' instead: it starts its own processes.");
      lowerPlatformPriority();
      exit(await runPlatformProcess());
    });
};
