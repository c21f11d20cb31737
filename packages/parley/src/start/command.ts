import type { Command } from "commander";
import { parleyConfig } from "../environment/config.ts";
import { startJson, startText } from "./report.ts";
import { start } from "./start.ts";
import { untilStopped } from "./until-stopped.ts";
import { environmentHelp } from "../output/environment-help.ts";

const HELP = `
Installs the app with its own API key, which has the permissions that the app's request templates need. If they can't be derived, the
key has all permissions and the log gives the reason.

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
    .option("--json", "print one line of JSON when everything is ready, and nothing else")
    .option("--no-install", "don't install the app; its installation page installs it")
    .addHelpText("after", HELP)
    .action(async ({ json = false, install }: Options) => {
      const config = parleyConfig();
      await untilStopped(
        ({ progress, log }) =>
          start({
            config,
            folders: [process.cwd()],
            install: { by: install ? "defaults" : "none" },
            progress,
            log,
          }),
        { json, announce: (running, seconds) => (json ? startJson(running) : startText(running, config, seconds)) },
      );
      exit(0);
    });
