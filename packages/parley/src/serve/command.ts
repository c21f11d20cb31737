import { lowerPlatformPriority } from "@parley/framework/operation";
import { Option, type Command } from "commander";
import { styleText } from "node:util";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { LOOPBACK } from "../environment/ports.ts";
import { apiKeyFile } from "../instance/keys.ts";
import { reportRow } from "../output/table.ts";
import { hostMapsOf } from "../run/host-maps.ts";
import { untilStopped } from "../start/shutdown.ts";
import { serve, SERVED_PARTS, type ServedPart, type Serving } from "./serve.ts";
import { environmentHelp } from "../output/environment-help.ts";

const HELP = `
Runs the service and the platform of apps, without the features of a local instance. With --workers, several processes of the service share
the port, with --app-workers several processes of the platform; a process that exits is restarted. Several 'npx parley serve' on one
DATABASE_URL form one installation. SIGTERM or Ctrl-C completes open requests, then
stops. GET /live reports that the process responds, GET /ready that it accepts requests, GET /health that its database accepts writes.

Examples:
  npx parley serve --demo                      on this machine, with the demo accounts and a key of acme
  npx parley serve --workers 4 --host 0.0.0.0  four processes, reachable from other machines: use a TLS proxy
  npx parley serve --only platform             the platform alone; PARLEY_SERVICE_URL names the service
  npx parley publish && npx parley apps install my-app --account acme
  npx parley account apply account.json        create an account on this service
  npx parley token create --account mine       create an API key of the account

${environmentHelp("serve")}`;

/** Larger deployments use several machines. */
const WORKERS_MAX = 64;
/** Time limit of a shutdown: 3 s for open requests, the rest for background work. @units milliseconds */
const STOP_TIMEOUT_MS = 15_000;

interface Options {
  readonly workers: number;
  readonly appWorkers: number;
  readonly appPort?: number;
  readonly only?: ServedPart;
  readonly port?: number;
  readonly host: string;
  readonly map: readonly string[];
  readonly demo?: boolean;
  readonly json?: boolean;
}

const wholeNumber =
  (name: string, min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    throw new CommandFailure(`${name} takes a whole number from ${min} to ${max}, not '${text}'.`);
  };

const asJson = ({
  pid,
  service,
  console,
  workers,
  platform,
  apps,
  appWorkers,
  metrics,
  account,
  token,
}: Serving): string =>
  JSON.stringify({ pid, service, console, workers, platform, apps, appWorkers, metrics, account, token });

/** Contains no credential: where the service runs for others, its output is kept in logs. */
const asText = (
  { pid, service, console, workers, platform, apps, appWorkers, metrics, token }: Serving,
  keyFile: string,
): string =>
  [
    "",
    `  ${styleText("bold", "Parley is serving.")}`,
    "",
    ...(service === undefined
      ? []
      : [reportRow("Service", service, workers.length > 1 ? `${workers.length} processes` : "")]),
    ...(console === undefined ? [] : [reportRow("Console", console, "where agents answer")]),
    ...(platform === undefined
      ? []
      : [
          reportRow("Platform", platform, appWorkers.length > 1 ? `${appWorkers.length} processes` : ""),
          reportRow("Apps", `${apps ?? platform}/`, "for admins of an account"),
        ]),
    ...(metrics === undefined ? [] : [reportRow("Metrics", metrics, "for Prometheus")]),
    reportRow("Process", String(pid), workers.length > 1 ? `workers ${workers.join(", ")}` : ""),
    ...(token === undefined ? [] : [reportRow("API key", keyFile, "contains a key of acme")]),
    "",
    "  Stop with Ctrl-C or SIGTERM.",
    "",
  ].join("\n");

/** `parley serve`: runs the service and the platform, or one of them, until Ctrl-C or SIGTERM. */
export const addServe = (program: Command, exit: (status: number) => void): void => {
  program
    .command("serve")
    .description("run the service and the platform of apps, with one or more processes, for production")
    .addOption(
      new Option("--workers <number>", "number of processes of the service")
        .default(1)
        .argParser(wholeNumber("--workers", 1, WORKERS_MAX)),
    )
    .addOption(
      new Option("--app-workers <number>", "number of processes of the platform")
        .default(1)
        .argParser(wholeNumber("--app-workers", 1, WORKERS_MAX)),
    )
    .addOption(new Option("--only <part>", "run only the service, or only the platform").choices(SERVED_PARTS))
    .addOption(
      new Option("--app-port <number>", "port of the platform (default: 10001; 0: any free port)").argParser(
        wholeNumber("--app-port", 0, 65_535),
      ),
    )
    .addOption(
      new Option("--port <number>", "port of the service (default: 10002; 0: any free port)").argParser(
        wholeNumber("--port", 0, 65_535),
      ),
    )
    .option("--host <address>", "address to listen on", LOOPBACK)
    .addOption(
      new Option("--map <host=origin>", "send requests of apps to a host to a local address instead; repeatable")
        .default([] as readonly string[], "none")
        .argParser((value: string, previous: readonly string[]) => [...previous, value]),
    )
    .option("--demo", "create the demo accounts, and store an API key of acme in the data folder")
    .option(
      "--json",
      "print one line of JSON when everything is ready, and nothing else, on standard output; with --demo it contains the key",
    )
    .addHelpText("after", HELP)
    .action(async ({ workers, appWorkers, appPort, only, port, host, map, demo = false, json = false }: Options) => {
      const config = parleyConfig();
      hostMapsOf(map);
      const script = process.argv[1] ?? "";
      await untilStopped(
        ({ progress, log }) =>
          serve({
            config,
            only,
            port: port ?? config.servicePort,
            appPort: appPort ?? config.appPort,
            appWorkers,
            host,
            workers,
            maps: map,
            demo,
            script,
            progress,
            log,
          }),
        {
          json,
          announce: (serving) => (json ? asJson(serving) : asText(serving, apiKeyFile(config.dataFolder))),
          isDaemon: true,
          stopMs: STOP_TIMEOUT_MS,
          stopDelayMs: config.stopDelayMs,
        },
      );
      exit(0);
    });
  program
    .command("serve-worker <port> <host> <appsUrl> <platformUrl>", { hidden: true })
    .description("internal: a process that 'npx parley serve' starts")
    .requiredOption("--number <number>", "number of the process", Number)
    .action(
      async (port: string, host: string, appsUrl: string, platformUrl: string, { number }: { number: number }) => {
        if (!process.send)
          throw new CommandFailure("Run 'npx parley serve --workers 2' instead: it starts its own processes.");
        const { runServiceWorker } = await import("./service-worker.ts");
        exit(await runServiceWorker({ port: Number(port), host, appsUrl, platformUrl }, number));
      },
    );
  program
    .command("serve-platform <port> <host> <localService> <namedService> <localPlatform> [maps...]", { hidden: true })
    .description("internal: a process of the platform that 'npx parley serve' starts")
    .requiredOption("--number <number>", "number of the process", Number)
    .action(
      async (
        port: string,
        host: string,
        localService: string,
        namedService: string,
        localPlatform: string,
        maps: string[],
        { number }: { number: number },
      ) => {
        if (!process.send)
          throw new CommandFailure("Run 'npx parley serve' instead: it starts the processes of the platform.");
        lowerPlatformPriority();
        const { runPlatformWorker } = await import("./platform-worker.ts");
        const addresses = { localService, namedService, localPlatform };
        exit(await runPlatformWorker({ port: Number(port), host, ...addresses, maps }, number));
      },
    );
};
