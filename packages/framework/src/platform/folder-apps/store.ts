import { statement, type Db } from "@parley/database";
import type { RecordOwner } from "../../state/records.sql.ts";

interface FolderInstallationRow {
  readonly created_time: Date;
  readonly updated_time: Date;
}

const FIND = statement(
  "find_folder_installation",
  "select created_time, updated_time from installations where project = $1 and account = $2 and app_version is null",
);

/** Rows of the table `installations` that belong to apps that are read from folders. */
export const folderInstallationStore = (db: Db) => ({
  find: ({ project, account }: RecordOwner) => db.one<FolderInstallationRow>(FIND, [project, account]),
});
export type FolderInstallationStore = ReturnType<typeof folderInstallationStore>;
