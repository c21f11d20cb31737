import { statement, type Db } from "@parley/database";
import type { RecordOwner } from "../../state/records.sql.ts";

interface FolderInstallationRow {
  readonly created_time: Date;
  readonly updated_time: Date;
}

const FIND = statement(
  "find_folder_installation",
  "SELECT created_time, updated_time FROM installations WHERE project = $1 AND account = $2 AND app_version IS NULL",
);

/** Rows of the table `installations` that belong to apps that are read from folders. */
export const folderInstallationStore = (db: Db) => ({
  find: ({ project, account }: RecordOwner) => db.one<FolderInstallationRow>(FIND, [project, account]),
});
export type FolderInstallationStore = ReturnType<typeof folderInstallationStore>;
