import type { Command } from "commander";
import { joinDatabase, SECRETS_KEY, type Database } from "@parley/database";
import { serviceConfig } from "@parley/service/config";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { environmentHelp } from "../output/environment-help.ts";
import { table } from "../output/table.ts";
import { rotateSecrets, secretsStatus } from "./rotate.ts";
import { commandLog } from "../output/log.ts";

const ROTATE_HELP = `
Creates a new key in the file secrets-key of the data folder, seals all stored secrets with it, and removes the earlier key. The instance can
keep running, and a rotation that was interrupted is completed by running it again. Backups from before keep the earlier key. With
PARLEY_SECRETS_KEY the command seals with the first of its keys, and says in which order to change the variable: docs/operators/secrets-key.md.

Examples:
  npx parley secrets rotate
  npx parley secrets status

${environmentHelp("secrets")}`;

const STATUS_HELP = `
Counts the stored secrets that are sealed with the present key, with an earlier one, and with none of the keys.

Example:
  npx parley secrets status --json

${environmentHelp("secrets")}`;

/** How long the earlier key is kept by default. A request, with its statements, takes less. @units seconds */
const SETTLE_SECONDS = 60;

interface RotateOptions {
  readonly json?: boolean;
  readonly skipUnreadable?: boolean;
  readonly keepSeconds: number;
}

const secondsOf = (text: string): number => {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new CommandFailure(`--keep-seconds takes a number of seconds, not '${text}'.`);
};

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Runs `work` with the database and the keys that the environment names. */
async function withSecrets(
  work: (options: {
    readonly database: Database;
    readonly dataFolder: string;
    readonly secretsKey: string | undefined;
  }) => Promise<void>,
): Promise<void> {
  const { dataFolder, databaseUrl } = parleyConfig();
  const { secretsKey } = serviceConfig();
  await prepareDataFolder(dataFolder, commandLog);
  const database = await joinDatabase({ dataFolder, url: databaseUrl, log: commandLog });
  try {
    await work({ database, dataFolder, secretsKey });
  } catch (error) {
    const { code, syscall, path } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined || path === undefined) throw error;
    throw new CommandFailure(`${path} can't be written (${code}). Run the command as the user that owns the key.`);
  } finally {
    await database.close();
  }
}

const runRotate = ({ json, skipUnreadable = false, keepSeconds }: RotateOptions): Promise<void> =>
  withSecrets(async (options) => {
    const { source, sealed, isContinued, unreadable } = await rotateSecrets({
      ...options,
      settleMs: keepSeconds * 1_000,
      skipsUnreadable: skipUnreadable,
      progress: commandLog,
    });
    if (json) return print(JSON.stringify({ source, sealed, continued: isContinued, unreadable }));
    print(
      source === SECRETS_KEY
        ? `Done: ${sealed} secrets were sealed anew with the first key. Set ${SECRETS_KEY} to that key alone, and restart all processes.`
        : `Done: ${sealed} secrets were sealed anew, and ${source} contains the new key only. Make a new backup: earlier backups contain the earlier key.`,
    );
    if (isContinued) print("A rotation that had been interrupted was completed.");
    if (unreadable > 0) print(`${unreadable} secrets can't be opened with any key. They were left as they are.`);
  });

const runStatus = ({ json }: { readonly json?: boolean }): Promise<void> =>
  withSecrets(async (options) => {
    const status = await secretsStatus(options);
    if (json) return print(JSON.stringify(status));
    print(`Keys: ${status.keys} in ${status.source}`);
    print(
      table(
        ["SECRETS", "PRESENT KEY", "EARLIER KEY", "UNREADABLE"],
        status.secrets.map(({ name, ...counts }) => [
          name,
          ...[counts.present, counts.earlier, counts.unreadable].map(String),
        ]),
      ),
    );
    if (status.keys > 1 && status.source !== SECRETS_KEY)
      print("A rotation was interrupted. 'npx parley secrets rotate' completes it.");
  });

/** `parley secrets`: rotates the key of stored secrets, and shows which secrets are sealed with which key. */
export const addSecrets = (program: Command) => {
  const secrets = program.command("secrets").description("rotate the key that encrypts stored secrets");
  secrets
    .command("rotate")
    .description("seal all stored secrets with a new key, while the instance runs")
    .option("--keep-seconds <n>", "how long the earlier key is kept for running requests", secondsOf, SETTLE_SECONDS)
    .option("--skip-unreadable", "rotate although some secrets can't be opened with any key")
    .option("--json", "print one line of JSON")
    .addHelpText("after", ROTATE_HELP)
    .action(runRotate);
  secrets
    .command("status")
    .description("show which secrets are sealed with which key")
    .option("--json", "print one line of JSON")
    .addHelpText("after", STATUS_HELP)
    .action(runStatus);
  return secrets;
};
