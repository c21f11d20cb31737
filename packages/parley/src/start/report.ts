import { relative } from "node:path";
import { styleText } from "node:util";
import type { ParleyConfig } from "../environment/config.ts";
import { apiKeyFile, type Running } from "./start.ts";

/** The JSON line of `--json`. */
export const startJson = ({ service, app, installPage, account, token }: Running): string =>
  JSON.stringify({ service, app, installPage, account, token });

export const reportRow = (name: string, value: string, note = "") =>
  `  ${styleText("dim", name.padEnd(18))} ${styleText("cyan", value)}${note ? `  ${styleText("dim", note)}` : ""}`;

/** Text report of a start. @units seconds: since the start began */
export const startText = (running: Running, config: ParleyConfig, seconds: number): string => {
  const near = relative(process.cwd(), apiKeyFile(config));
  const keyFile = near.startsWith("..") ? apiKeyFile(config) : near;
  const [{ name = "", installed = false } = {}] = running.apps;
  const state = installed ? `installed on ${running.account}` : "not installed: fill in the installation page";
  return [
    "",
    `  ${styleText("bold", "Parley is running.")} ${styleText("dim", `(${seconds.toFixed(1)} s)`)}`,
    "",
    reportRow("Service", running.service, `account ${running.account}`),
    reportRow("API reference", running.docs),
    reportRow("Installation page", running.installPage),
    reportRow("App", running.app, `${name}, ${state}`),
    reportRow("API key", running.token, `stored in ${keyFile}`),
    "",
    installed
      ? `  Next: write as a customer, in another terminal:  ${styleText("bold", "npx parley chat")}`
      : `  Next: open the installation page and install the app with the API key above.`,
    `  Stop with Ctrl-C.`,
    "",
  ].join("\n");
};
