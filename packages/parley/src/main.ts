import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { isCommandFailure } from "./environment/failure.ts";
import { PLATFORM_COMMAND } from "./platform-process/protocol.ts";
import { fitToWidth, helpWidth, withDocumentationPaths } from "./help.ts";

type Exit = (code: number) => void;

/** Commands in the order of the help. Each module is loaded on demand, because most commands need neither the service nor the app host. */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command, exit: Exit) => void>>> = {
  run: async () => (await import("./run/command.ts")).addRun,
  init: async () => (await import("./init/command.ts")).addInit,
  validate: async () => (await import("./validate/command.ts")).addValidate,
  test: async () => (await import("./app-tests/command.ts")).addTest,
  pack: async () => (await import("./pack/command.ts")).addPack,
  publish: async () => (await import("./publish/command.ts")).addPublish,
  apps: async () => (await import("./apps/command.ts")).addApps,
  event: async () => (await import("./event/command.ts")).addEvent,
  logs: async () => (await import("./logs/command.ts")).addLogs,
  consent: async () => (await import("./consent/command.ts")).addConsent,
  setting: async () => (await import("./setting/command.ts")).addSetting,
  doctor: async () => (await import("./doctor/command.ts")).addDoctor,
  start: async () => (await import("./start/command.ts")).addStart,
  serve: async () => (await import("./serve/command.ts")).addServe,
  chat: async () => (await import("./chat/command.ts")).addChat,
  tail: async () => (await import("./tail/command.ts")).addTail,
  load: async () => (await import("./load/command.ts")).addLoad,
  import: async () => (await import("./import/command.ts")).addImport,
  export: async () => (await import("./export/command.ts")).addExport,
  backup: async () => (await import("./backup/command.ts")).addBackup,
  restore: async () => (await import("./restore/command.ts")).addRestore,
  upgrade: async () => (await import("./upgrade/command.ts")).addUpgrade,
  objects: async () => (await import("./objects/command.ts")).addObjects,
  secrets: async () => (await import("./secrets/command.ts")).addSecrets,
  status: async () => (await import("./status/command.ts")).addStatus,
  account: async () => (await import("./account/command.ts")).addAccount,
  "sign-in": async () => (await import("./sign-in/command.ts")).addSignIn,
  token: async () => (await import("./token/command.ts")).addToken,
  audit: async () => (await import("./audit/command.ts")).addAudit,
  webhook: async () => (await import("./webhook/command.ts")).addWebhook,
  deliveries: async () => (await import("./deliveries/command.ts")).addDeliveries,
  reset: async () => (await import("./test-environment/snapshot/command.ts")).addReset,
  snapshot: async () => (await import("./test-environment/snapshot/command.ts")).addSnapshot,
  clock: async () => (await import("./test-environment/clock/command.ts")).addClock,
  fault: async () => (await import("./test-environment/fault/command.ts")).addFault,
  seed: async () => (await import("./test-environment/seed/command.ts")).addSeed,
};

/** Command that other commands start, in a process of its own. */
const loadInternal = async () => (await import("./platform-process/command.ts")).addPlatformProcess;

const VERSION_FLAGS = ["-V", "--version"];

/**
 * Version of this package, with its build. The service exports the same, but loading it would double the time of this command. The relative
 * path is the same from the source and from the bundle.
 */
const packageVersion = (): string => {
  const { version, build } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
    build?: string;
  };
  return build === undefined ? version : `${version}+${build}`;
};

const failureTextOf = async (error: unknown): Promise<string> => {
  if (isCommandFailure(error)) return error.message;
  // Imported on first use: most commands do not fail.
  const [{ isUnavailable }, { failureText }] = await Promise.all([
    import("@parley/database"),
    import("@parley/telemetry"),
  ]);
  if (isUnavailable(error))
    return `The database could not be used any more: ${failureText(error)}. Check that PostgreSQL runs and accepts writes, then run the command again.`;
  // Any other error is a bug in Parley: the stack is printed so that the user can report it.
  return `Unexpected error. This is a bug in Parley; please report it with these lines.\n${(error as Error)?.stack ?? String(error)}`;
};

/** Loaders of the commands to register: the command that the arguments name, or all commands for the help and for unknown names. */
const commandLoaders = ([name = ""]: readonly string[]) => {
  if (VERSION_FLAGS.includes(name)) return [];
  if (name === PLATFORM_COMMAND) return [loadInternal];
  const called = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return called ? [called] : Object.values(COMMANDS);
};

/**
 * Runs one command.
 * @shape args: without the node binary and the script
 * @returns the exit status: 0 success, 1 failure; the reason is printed to standard error
 */
export async function main(args: readonly string[]): Promise<number> {
  let status = 0;
  const exit = (code: number) => void (status = code);
  const program = new Command("parley")
    .description("Parley: a customer messaging service on your machine, and the framework its apps run on.")
    .version(packageVersion(), VERSION_FLAGS.join(", "), "print the version")
    .exitOverride()
    // '--version' after a command is the command's own.
    .enablePositionalOptions()
    // Must be configured before the commands are added, because commands inherit the setting when they are created.
    .configureOutput({
      getOutHelpWidth: () => helpWidth(process.stdout.columns),
      writeOut: (text) =>
        process.stdout.write(fitToWidth(withDocumentationPaths(text), helpWidth(process.stdout.columns))),
    })
    .showHelpAfterError("(see --help)");
  for (const add of await Promise.all(commandLoaders(args).map((load) => load()))) add(program, exit);
  for (const command of program.commands) command.exitOverride();
  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    process.stderr.write(`parley: ${await failureTextOf(error)}\n`);
    return 1;
  }
  return status;
}
