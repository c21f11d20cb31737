import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import type { AppSetting, AppSettingsChange } from "@parley/contract";
import { table, printable } from "../output/table.ts";
import { connectApp } from "../control/control-client.ts";
import { CommandFailure } from "../environment/failure.ts";

const HELP = `
An app declares its settings in config/app_settings.json and uses them in requests: <%= app_settings.vendor_key %>. Values apply to the
app on this host, are stored encrypted, and take effect at the app's next request. The app's function onSettingsUpdate can reject them.

Other users of this machine can see a command's arguments: pass a secret in a file, as key=@path.

Examples:
  npx parley setting list
  npx parley setting set region=eu vendor_key=@vendor-key.txt
  npx parley setting remove region
  npx parley setting list --app ../greeter --json`;

interface Options {
  readonly app?: string;
  readonly json?: boolean;
}

const print = (settings: readonly AppSetting[], { json }: Options): void => {
  if (json) return void process.stdout.write(`${JSON.stringify(settings)}\n`);
  if (settings.length === 0)
    return void process.stdout.write("The app declares no settings: it has no config/app_settings.json.\n");
  const valueOf = ({ isSet, isSecure, value = "" }: AppSetting) =>
    isSet ? (isSecure ? "stored, not shown" : printable(value)) : "not set";
  const rows = settings.map((setting) => [printable(setting.key), valueOf(setting)]);
  return void process.stdout.write(`${table(["setting", "value"], rows)}\n`);
};

/** Parses `key=value`, or `key=@file` for the content of a file without the final line break. */
const readValue = async (text: string): Promise<readonly [string, string]> => {
  const separator = text.indexOf("=");
  if (separator < 1) throw new CommandFailure(`'${printable(text)}' is not a setting: write key=value, or key=@file.`);
  const [key, value] = [text.slice(0, separator), text.slice(separator + 1)];
  if (value === "")
    throw new CommandFailure(`${printable(key)} has no value: to remove it, use 'npx parley setting remove'.`);
  if (!value.startsWith("@")) return [key, value];
  const file = value.slice(1);
  const content = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandFailure(
      `${printable(file)} can't be read: ${String((error as NodeJS.ErrnoException).code ?? error)}.`,
    );
  });
  return [key, content.replace(/\r?\n$/, "")];
};

const change = async (values: AppSettingsChange["values"], options: Options) => {
  const { calls } = await connectApp(options.app);
  const result = await calls.changeSettings({ values });
  if (result.ok) return print(result.settings, options);
  const problems = Object.entries(result.errors).map(([key, text]) => `${key}: ${text}`);
  throw new CommandFailure(printable([result.message, ...problems].join(" ")));
};

/** `parley setting`: lists, sets and removes the settings that an app declares. */
export const addSetting = (program: Command) => {
  const setting = program
    .command("setting")
    .description("list, set and remove the settings of an app")
    .addHelpText("after", HELP);
  const withOptions = (command: Command) =>
    command
      .option("--app <dir>", "folder or name of the app (default: the app in this folder)")
      .option("--json", "print one line of JSON");
  withOptions(setting.command("list").description("list the declared settings; secure values are not shown")).action(
    async (options: Options) => print(await (await connectApp(options.app)).calls.settings(), options),
  );
  withOptions(
    setting.command("set").description("store values").argument("<key=value...>", "key=value, or key=@file"),
  ).action(async (texts: readonly string[], options: Options) =>
    change(Object.fromEntries(await Promise.all(texts.map(readValue))), options),
  );
  withOptions(
    setting.command("remove").description("remove values").argument("<key...>", "keys that list shows"),
  ).action(async (keys: readonly string[], options: Options) =>
    change(Object.fromEntries(keys.map((key) => [key, ""])), options),
  );
};
