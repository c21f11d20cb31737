import type { Command } from "commander";
import { joinDatabase } from "@parley/database";
import { realPorts } from "@parley/service/ports";
import { parleyConfig } from "../environment/config.ts";
import { createImportProgress } from "../import/progress.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { backup } from "./backup.ts";
import { objectsFolderOf } from "./files.ts";
import { environmentHelp } from "../output/environment-help.ts";

const HELP = `
A folder with everything of one moment: accounts, users, conversations, messages, tokens, webhooks, apps' installations and
records, events that are still to be told, uploads, and the keys. Keep it as you keep a password: docs/operators/backup.md. The instance
goes on meanwhile. 'parley restore' puts it into an empty place.

Examples:
  parley backup /backups/2026-01-31
  tar -czf parley.tgz -C /backups 2026-01-31

${environmentHelp("backup")}`;

async function runBackup(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  const begun = performance.now();
  const { dataFolder, databaseUrl } = parleyConfig();
  const log = (line: string) => void process.stderr.write(`${line}\n`);
  await prepareDataFolder(dataFolder, log);
  const database = await joinDatabase({ dataFolder, url: databaseUrl, log, onlyReads: true });
  const progress = createImportProgress(0);
  try {
    const objectsFolder = objectsFolderOf(dataFolder);
    const now = realPorts.now();
    const show = (rows: number) => progress.show(0, rows);
    const { tables, objects, keys } = await backup({
      database,
      dataFolder,
      objectsFolder,
      folder,
      now,
      progress: show,
    });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const seconds = Number(((performance.now() - begun) / 1_000).toFixed(1));
    if (json) process.stdout.write(`${JSON.stringify({ folder, rows, objects, keys, seconds })}\n`);
    else
      process.stdout.write(
        `Done after ${seconds} s: ${rows.toLocaleString("en")} rows, ${objects} files and ${keys.length} keys are in ${folder}.\n`,
      );
    if (!keys.includes("secrets-key"))
      process.stderr.write(
        "No key of secrets lies in the data folder. If PARLEY_SECRETS_KEY holds it, keep that beside the backup.\n",
      );
  } finally {
    await database.close();
  }
}

/** `parley backup`: writes a backup of all data to a folder. */
export const addBackup = (program: Command) =>
  program
    .command("backup")
    .description("keep all data in a folder, while the instance goes on")
    .argument("<folder>", "the folder, which is made")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(runBackup);
