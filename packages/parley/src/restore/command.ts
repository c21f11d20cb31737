import type { Command } from "commander";
import { openDatabase } from "@parley/database";
import { readBackupManifest } from "../backup/folder.ts";
import { openInstanceObjects } from "../backup/objects.ts";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { createRecordProgress } from "../output/progress.ts";
import { prepareDataFolder } from "../instance/data-folder.ts";
import { readInstance } from "../instance/instance.ts";
import { restore } from "./restore.ts";
import { environmentHelp } from "../output/environment-help.ts";
import { commandLog } from "../output/log.ts";

const HELP = `
The data folder and the database must be empty, and no instance may run on them. A backup of an earlier release is migrated; a backup
of a newer release is refused. A failed restore changes nothing: docs/operators/backup.md.

Examples:
  PARLEY_DATA=./restored npx parley restore /backups/2026-01-31
  PARLEY_DATA=./restored npx parley start

${environmentHelp("restore")}`;

async function runRestore(folder: string, { json }: { readonly json?: boolean }): Promise<void> {
  const startTime = performance.now();
  // The backup is checked before anything is created.
  await readBackupManifest(folder);
  const { dataFolder, databaseUrl } = parleyConfig();
  const instance = await readInstance(dataFolder);
  if (instance)
    throw new CommandFailure(
      `An instance (process ${instance.pid}) runs on ${dataFolder}. Stop it first, or set PARLEY_DATA.`,
    );
  await prepareDataFolder(dataFolder, commandLog);
  const database = await openDatabase({ dataFolder, url: databaseUrl, log: commandLog });
  const progress = createRecordProgress(0);
  try {
    const show = (rows: number) => progress.show(0, rows);
    const { tables, objects, keys, version, created_time } = await restore({
      database,
      dataFolder,
      objects: await openInstanceObjects(dataFolder),
      folder,
      progress: show,
    });
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const seconds = Number(((performance.now() - startTime) / 1_000).toFixed(1));
    if (json)
      process.stdout.write(`${JSON.stringify({ folder, rows, objects, keys, version, created_time, seconds })}\n`);
    else
      process.stdout.write(
        `Done after ${seconds} s: ${rows.toLocaleString("en")} rows, ${objects} files and ${keys.length} keys of ${created_time} are in ${dataFolder}.\n`,
      );
  } finally {
    await database.close();
  }
}

/** `parley restore`: restores a backup into an empty data folder and database. */
export const addRestore = (program: Command) =>
  program
    .command("restore")
    .description("restore a backup into an empty data folder")
    .argument("<folder>", "folder that 'npx parley backup' wrote")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(runRestore);
