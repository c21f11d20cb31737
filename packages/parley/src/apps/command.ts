import { styleText } from "node:util";
import { isObject, platform, type InstallationDetails, type InstalledApp } from "@parley/contract";
import type { Command } from "commander";
import { createAdminCalls, type RefusalHints } from "../admin/admin-client.ts";
import { connectPlatform } from "../admin/platform-connection.ts";
import { CommandFailure } from "../environment/failure.ts";
import { readJson } from "../input/json.ts";
import { printable, table } from "../output/table.ts";

const LIST_HELP = `
Without --account, lists the published apps with the number of their installations.

Examples:
  npx parley apps list
  npx parley apps list --account acme --json`;

const INSTALL_HELP = `
Parameters that the file leaves out get their defaults: the account's own address for a domain, and for an API key a new key with exactly the
permissions that the app needs. --iparams - reads standard input.

Examples:
  npx parley apps install concierge --account acme
  npx parley apps install concierge --account acme --iparams values.json --json    prints {"id","name","version","account","state"}
  npx parley apps install concierge --account acme --version 1.2.0`;

const UPGRADE_HELP = `
Only new or changed parameters have to be given: all others keep their values. The app's afterAppUpdate can refuse the upgrade; then nothing
changes. 'npx parley apps rollback' returns to the version and the parameters before the last upgrade.

Examples:
  npx parley apps upgrade concierge --account acme
  npx parley apps upgrade concierge --account acme --version 2.0.0 --iparams new-values.json`;

const PAUSE_HELP = `
Events wait in order and schedules don't fire until 'npx parley apps resume'. Events are kept for PARLEY_PAUSED_EVENTS_DAYS days.

Example:
  npx parley apps pause concierge --account acme`;

const RESUME_HELP = `
The app receives the events that waited, in their order.

Example:
  npx parley apps resume concierge --account acme`;

const ROLLBACK_HELP = `
Example:
  npx parley apps rollback concierge --account acme`;

const UNINSTALL_HELP = `
Removes everything that the app stored for the account: parameters, records, schedules, connections, recorded calls. Its API key is not
revoked: 'npx parley token list' shows it.

Example:
  npx parley apps uninstall concierge --account acme`;

const HINTS: RefusalHints = {
  ACCOUNT_NOT_FOUND: "'npx parley account list' shows the accounts.",
  APP_NOT_FOUND: "'npx parley apps list' shows the published apps; 'npx parley publish' publishes an app.",
  APP_VERSION_NOT_FOUND: "'npx parley apps list' shows the versions.",
  APP_NOT_INSTALLED: "'npx parley apps list --account <account>' shows the installed apps.",
  APP_INSTALLED: "'npx parley apps upgrade' installs another version.",
  IPARAMS_REFUSED: "Pass the values with --iparams values.json: one JSON object of values by key.",
};

interface Options {
  readonly account?: string;
  readonly iparams?: string;
  readonly version?: string;
  readonly url?: string;
  readonly json?: boolean;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const connect = async (url: string | undefined) => {
  const { origin, key, hints } = await connectPlatform(url);
  return createAdminCalls(platform, origin, key, { ...HINTS, ...hints });
};

/** @errors CommandFailure */
const valuesIn = async (file: string | undefined): Promise<Record<string, unknown> | undefined> => {
  if (file === undefined) return undefined;
  const expected = 'Write one JSON object of values by key, such as {"greeting": "Hello"}.';
  const values = await readJson(file, expected);
  if (isObject(values)) return values;
  throw new CommandFailure(`The file ${file} does not contain a JSON object. ${expected}`);
};

/** @errors CommandFailure */
const accountOf = ({ account }: Options): string => {
  if (account !== undefined) return account;
  throw new CommandFailure("Name the account with --account: 'npx parley account list' shows the accounts.");
};

const stateText = ({ state, newer_version }: InstallationDetails): string =>
  newer_version === undefined ? state : `${state}, version ${newer_version} is available`;

const reportChange = (done: string, installed: InstalledApp, { json }: Options): void => {
  const { id, name, version, account, state } = installed;
  if (json) return print(JSON.stringify({ id, name, version, account, state }));
  return print(
    `${done} ${styleText("bold", printable(name))}, version ${printable(version)}, on ${printable(account)}: ${state}.`,
  );
};

const list = async ({ account, url, json }: Options): Promise<void> => {
  const calls = await connect(url);
  if (account === undefined) {
    const { apps } = await calls.listPublishedApps({});
    if (json) return print(JSON.stringify({ apps }));
    if (apps.length === 0) return print("No app is published. Publish one with 'npx parley publish'.");
    return print(
      table(
        ["app", "versions", "accounts", "installations"],
        apps.map(({ name, versions, accounts, installations }) => [
          name,
          versions.map(({ version }) => version).join(", "),
          accounts?.join(", ") ?? "all",
          String(installations),
        ]),
      ),
    );
  }
  const { apps } = await calls.listInstallations({ params: { account } });
  if (json) return print(JSON.stringify({ apps }));
  if (apps.length === 0)
    return print(`No app is installed on ${printable(account)}. Install one with 'npx parley apps install'.`);
  return print(
    table(
      ["app", "version", "state", "installation page"],
      apps.map((app) => [app.name, app.version, stateText(app), app.page]),
    ),
  );
};

/** `parley apps`: installs published apps on accounts, and changes their installations. */
export const addApps = (program: Command): void => {
  const apps = program
    .command("apps")
    .description("install published apps on accounts, upgrade, pause and uninstall them");
  const addStep = (name: string, description: string, help: string): Command =>
    apps
      .command(name)
      .description(description)
      .argument("<name>", "name of the app")
      .requiredOption("--account <account>", "account of the installation")
      .option("--url <origin>", "address of the platform on another machine; PARLEY_ADMIN_KEY is its key")
      .option("--json", "print one line of JSON")
      .addHelpText("after", help);
  const withValues = (command: Command): Command =>
    command
      .option("--iparams <file>", "JSON file with values of parameters (-: standard input)")
      .option("--version <version>", "version to install (default: the newest)");

  apps
    .command("list")
    .description("list the published apps, or the apps that are installed on an account")
    .option("--account <account>", "account whose installations are listed")
    .option("--url <origin>", "address of the platform on another machine; PARLEY_ADMIN_KEY is its key")
    .option("--json", "print one line of JSON")
    .addHelpText("after", LIST_HELP)
    .action(list);
  withValues(addStep("install", "install an app on an account", INSTALL_HELP)).action(
    async (name: string, options: Options) => {
      const { version, iparams: file, url } = options;
      const iparams = await valuesIn(file);
      const body = { name, ...(version !== undefined && { version }), ...(iparams && { iparams }) };
      const calls = await connect(url);
      reportChange("Installed", await calls.installApp({ params: { account: accountOf(options) }, body }), options);
    },
  );
  withValues(addStep("upgrade", "upgrade an installation to another version", UPGRADE_HELP)).action(
    async (name: string, options: Options) => {
      const { version, iparams: file, url } = options;
      const iparams = await valuesIn(file);
      const body = { ...(version !== undefined && { version }), ...(iparams && { iparams }) };
      const calls = await connect(url);
      const params = { account: accountOf(options), name };
      reportChange("Upgraded", await calls.upgradeApp({ params, body }), options);
    },
  );
  const steps = [
    ["rollback", "return to the version before the last upgrade", ROLLBACK_HELP, "Returned to", "rollBackApp"],
    ["pause", "pause an installation: its events wait", PAUSE_HELP, "Paused", "pauseApp"],
    ["resume", "resume a paused installation", RESUME_HELP, "Resumed", "resumeApp"],
    ["uninstall", "uninstall an app and remove what it stored", UNINSTALL_HELP, "Uninstalled", "uninstallApp"],
  ] as const;
  for (const [step, description, help, done, call] of steps)
    addStep(step, description, help).action(async (name: string, options: Options) => {
      const calls = await connect(options.url);
      reportChange(done, await calls[call]({ params: { account: accountOf(options), name } }), options);
    });
};
