import { relative } from "node:path";
import { styleText } from "node:util";
import type { Command } from "commander";
import { type ParleyConfig, parleyConfig } from "../environment/config.ts";
import { apiKeyFile } from "../instance/keys.ts";
import { type Running, start } from "./start.ts";
import { untilStopped } from "./shutdown.ts";
import { startFolder } from "../input/app-folder.ts";
import { reportRow } from "../output/table.ts";
import { environmentHelp } from "../output/environment-help.ts";

/** The JSON line of `--json`. */
const startJson = ({
  service,
  app,
  installPage,
  account,
  token,
  console,
  messenger,
  metrics,
  signIn,
}: Running): string =>
  JSON.stringify({ service, app, installPage, account, token, console, messenger, metrics, signIn });

/** Text report of a start. @units seconds: since the start began */
const startText = (running: Running, config: ParleyConfig, seconds: number): string => {
  const file = apiKeyFile(config.dataFolder);
  const near = relative(process.cwd(), file);
  const keyFile = near.startsWith("..") ? file : near;
  const [{ name = "", installed = false } = {}] = running.apps;
  const state = installed ? `installed on ${running.account}` : "not installed: fill in the installation page";
  return [
    "",
    `  ${styleText("bold", "Parley is running.")} ${styleText("dim", `(${seconds.toFixed(1)} s)`)}`,
    "",
    ...(running.signIn === undefined ? [] : [reportRow("Sign in", running.signIn, "once, within 15 minutes")]),
    reportRow("Console", running.console, "where agents answer"),
    ...(running.messenger === undefined ? [] : [reportRow("Messenger", running.messenger, "where customers write")]),
    ...(running.metrics === undefined ? [] : [reportRow("Metrics", running.metrics, "for Prometheus")]),
    reportRow("Service", running.service, `account ${running.account}`),
    reportRow("API reference", running.docs),
    reportRow("Installation page", running.installPage),
    reportRow("App", running.app, `${name}, ${state}`),
    reportRow("API key", running.token, `stored in ${keyFile}`),
    "",
    installed
      ? `  Next: open the link to sign in, and write as a customer in the messenger, or in another terminal:  ${styleText("bold", "npx parley chat")}`
      : `  Next: open the installation page and install the app with the API key above.`,
    `  Stop with Ctrl-C.`,
    "",
  ].join("\n");
};

const HELP = `
In a folder without an app, it starts Concierge, which greets and routes customers. Serves a demo shop, whose page embeds the messenger, on an origin of its own. Installs the app with its own API key, which has the permissions that the app's request templates need. If they can't be derived, the
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
        async ({ progress, log }) => {
          const { folder, isConcierge } = await startFolder(process.cwd(), config.dataFolder);
          if (isConcierge) progress("This folder has no app of its own: preparing Concierge");
          return start({
            config,
            folders: [folder],
            install: { by: install ? "defaults" : "none" },
            hasSignInLink: true,
            hasShop: true,
            progress,
            log,
          });
        },
        { json, announce: (running, seconds) => (json ? startJson(running) : startText(running, config, seconds)) },
      );
      exit(0);
    });
