import type { Command } from "commander";
import { joinDatabase } from "@parley/database";
import { realPorts } from "@parley/service/ports";
import { parleyConfig } from "../environment/config.ts";
import { createRecordProgress } from "../output/progress.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { backup } from "./backup.ts";
import { openInstanceObjects } from "./objects.ts";
import { environmentHelp } from "../output/environment-help.ts";
import { commandLog } from "../output/log.ts";

const HELP = `
Saves a consistent copy of all data: accounts, users, conversations, messages, tokens, webhooks, apps' installations and records,
pending events, uploads and keys. Keep the folder as secret as a password: docs/operators/backup.md. The instance can keep running.
'npx parley restore' restores the backup into an empty data folder.

Examples:
  npx parley backup /backups/2026-01-31
  tar -czf parley.tgz -C /backups 2026-01-31

${environmentHelp("backup")}`;

interface BackupFlags {
  readonly json?: boolean;
  /** false by --no-objects. */
  readonly objects: boolean;
}

async function runBackup(folder: string, { json, objects: includesObjects }: BackupFlags): Promise<void> {
  const startTime = performance.now();
  const { dataFolder, databaseUrl } = parleyConfig();
  await prepareDataFolder(dataFolder, commandLog);
  const database = await joinDatabase({ dataFolder, url: databaseUrl, log: commandLog, onlyReads: true });
  const progress = createRecordProgress(0);
  try {
    const now = realPorts.now();
    const show = (rows: number) => progress.show(0, rows);
    const { tables, objects, keys } = await backup({
      database,
      dataFolder,
      objects: includesObjects ? await openInstanceObjects(dataFolder) : undefined,
      folder,
      now,
      progress: show,
    });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const seconds = Number(((performance.now() - startTime) / 1_000).toFixed(1));
    if (json) process.stdout.write(`${JSON.stringify({ folder, rows, objects, keys, seconds })}\n`);
    else
      process.stdout.write(
        `Done after ${seconds} s: ${rows.toLocaleString("en")} rows, ${objects} files and ${keys.length} keys are in ${folder}.\n`,
      );
    if (!includesObjects)
      process.stderr.write(
        "Uploads and reports were left out. Back up the folder or the bucket of PARLEY_OBJECTS, too.\n",
      );
    if (!keys.includes("secrets-key"))
      process.stderr.write(
        "The data folder contains no secrets key. If PARLEY_SECRETS_KEY is set, keep its value with the backup.\n",
      );
  } finally {
    await database.close();
  }
}

/** `parley backup`: writes a backup of all data to a folder. */
export const addBackup = (program: Command) =>
  program
    .command("backup")
    .description("back up all data to a folder; the instance can keep running")
    .argument("<folder>", "folder to create")
    .option("--no-objects", "leave uploads and reports out, because the storage has a backup of its own")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(runBackup);
