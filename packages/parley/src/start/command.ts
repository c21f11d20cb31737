import type { Command } from "commander";
import { parleyConfig } from "../environment/config.ts";
import { startJson, startText } from "./report.ts";
import { start } from "./start.ts";
import { untilStopped } from "./until-stopped.ts";

const HELP = `
The app is installed with a key of its own, which allows what its request templates call; where that can't be derived it allows
everything, and the log says why.

Environment:
  PARLEY_SERVICE_PORT   port of the service (10002; 0: any free one)
  PARLEY_APP_PORT       port of the app host (10001; 0: any free one)
  PARLEY_DATA           folder of all data (.parley)
  DATABASE_URL          a PostgreSQL of your own (embedded when unset); several hosts and TLS: docs/operators/postgresql.md
  PARLEY_CALLS_PER_HOUR calls that an account may make an hour (by plan when unset)
  PARLEY_DOMAIN         hosts of accounts are <account>.<domain> (parley.localhost)
  PARLEY_OUTBOUND_HOST  host for outbound messages (outbound.<domain>)
  PARLEY_OBJECTS        folder of uploads and reports (objects in the data folder when unset)
  PARLEY_PUBLIC_URL     address that the service is reached at (that of the request when unset)
  PARLEY_CORS_ORIGINS   origins whose pages may call the API from a browser, with commas between (none when unset)
  PARLEY_ADDRESS_DAYS   days that the address of an upload works (7)
  PARLEY_SECRETS_KEY    key of what is kept secret, 64 hex digits (a file of the data folder when unset)
  PARLEY_WEBHOOK_OVERLAP_HOURS  hours that an old key or secret of a webhook signs on (24)
  PARLEY_WEBHOOK_LOOPBACK  whether this machine may be a webhook, on or off (on)`;

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
