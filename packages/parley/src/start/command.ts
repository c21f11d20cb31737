import type { Command } from "commander";
import { parleyConfig } from "../environment/config.ts";
import { startJson, startText } from "./report.ts";
import { start } from "./start.ts";
import { untilStopped } from "./until-stopped.ts";
import { environmentHelp } from "../output/environment-help.ts";

const HELP = `
The app is installed with a key of its own, which allows what its request templates call; where that can't be derived it allows
everything, and the log says why.

${environmentHelp("start")}`;

interface Options {
  readonly json?: boolean;
  readonly install: boolean;
}

/** `parley start`: runs the service, the app host and the app until Ctrl-C or SIGTERM. */
export const addStart = (program: Command, exit: (status: number) => void) =>
  program
    .command("start")
    .description("start the service, the app host and the app in this folder, until Ctrl-C")
    .option("--json", "print one line of JSON when all is ready, and nothing else")
    .option("--no-install", "leave the app uninstalled: its installation page waits to be filled in")
    .addHelpText("after", HELP)
    .action(async ({ json = false, install }: Options) => {
      const config = parleyConfig();
      await untilStopped(
        ({ progress, log }) =>
          start({
            config,
            folders: [process.cwd()],
            install: { by: install ? "defaults" : "nobody" },
            progress,
            log,
          }),
        { json, announce: (running, seconds) => (json ? startJson(running) : startText(running, config, seconds)) },
      );
      exit(0);
    });
