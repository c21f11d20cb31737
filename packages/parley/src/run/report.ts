import { styleText } from "node:util";
import { printable, reportRow } from "../output/table.ts";
import type { RunningApps } from "./run.ts";

/** The JSON line of `--json`. */
export const runJson = ({
  pid,
  service,
  app,
  installPage,
  account,
  token,
  dataFolder,
  metrics,
  apps,
}: RunningApps): string =>
  JSON.stringify({ pid, service, app, installPage, account, token, dataFolder, metrics, apps });

const warning = (text: string): string => `  ${styleText("yellow", "⚠")} ${text}`;

type App = RunningApps["apps"][number];

const appLines = ({ name, app, installPage, installed, places }: App, console: string): string[] => [
  "",
  `  ${styleText("bold", printable(name))}`,
  reportRow("App page", app, installed ? "installed" : "not installed"),
  ...places.map((place) => reportRow(`  ${place}`.slice(0, 40), `${app}/?place=${encodeURIComponent(place)}`)),
  reportRow("Installation page", installPage),
  reportRow("Raise events", `${console}/admin/apps/${encodeURIComponent(name)}`),
];

/** Text report of a start for app authors. @units seconds: since the start began */
export const runText = (running: RunningApps, seconds: number): string => {
  const { apps, maps, consents } = running;
  const warnings = [
    ...(running.hasOtherPorts ? ["The default ports are in use: free ports were chosen."] : []),
    ...(running.isDeterministic ? ["The clock is frozen, and ids are the same in each run."] : []),
    ...(consents.secureIparams
      ? ["Handlers can read secure parameters in args.iparams (--allow-secure-iparams)."]
      : []),
    ...(consents.hosts ?? []).map((host) => `The apps' code can call ${host} (--allow-host).`),
    ...[...maps].map(([host, origin]) => `Requests to ${host} go to ${origin}.`),
  ];
  const notInstalled = apps.find(({ installed }) => !installed);
  return [
    "",
    `  ${styleText("bold", "Parley is running.")} ${styleText("dim", `(${seconds.toFixed(1)} s)`)}`,
    "",
    ...(running.signIn === undefined ? [] : [reportRow("Sign in", running.signIn, "once, within 15 minutes")]),
    reportRow("Console", running.console, "where agents answer"),
    reportRow("Service", running.service, `account ${running.account}`),
    reportRow("API reference", running.docs),
    reportRow("API key", running.token),
    ...apps.flatMap((app) => appLines(app, running.console)),
    "",
    ...(warnings.length > 0 ? [...warnings.map(warning), ""] : []),
    notInstalled
      ? "  Next: install the app on its installation page, with the API key above."
      : `  Next: write as a customer, in another terminal:  ${styleText("bold", "npx parley chat")}`,
    `  See what its handlers do:  ${styleText("bold", "npx parley logs --follow")}`,
    "  Stop with Ctrl-C.",
    "",
  ].join("\n");
};
