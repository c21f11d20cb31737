import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** File of the data folder with the time of the last complete backup, for the metrics of the machine. */
const LAST_BACKUP_FILE = "last-backup.json";

interface LastBackup {
  readonly folder: string;
  /** @units UTC, ISO 8601 with milliseconds and Z */
  readonly created_time: string;
}

export const noteBackup = async (dataFolder: string, last: LastBackup): Promise<void> => {
  const path = join(dataFolder, LAST_BACKUP_FILE);
  await writeFile(`${path}.new`, `${JSON.stringify(last)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
};

/** -> undefined if `parley backup` has not completed with this data folder. */
export const lastBackupTime = async (dataFolder: string): Promise<Date | undefined> => {
  try {
    const { created_time } = JSON.parse(await readFile(join(dataFolder, LAST_BACKUP_FILE), "utf8")) as LastBackup;
    const time = new Date(created_time);
    return Number.isNaN(time.getTime()) ? undefined : time;
  } catch {
    return undefined;
  }
};
