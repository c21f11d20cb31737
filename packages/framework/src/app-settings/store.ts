import { statement, type Pool } from "@parley/database";

interface AppSettingRow {
  readonly key: string;
  readonly sealed: string;
}

const LIST = statement("list_app_settings", "SELECT key, sealed FROM app_settings WHERE project = $1 ORDER BY key");
const PUT = statement(
  "put_app_setting",
  `INSERT INTO app_settings (project, key, sealed, changed_time) VALUES ($1, $2, $3, $4)
   ON CONFLICT (project, key) DO UPDATE SET sealed = excluded.sealed, changed_time = excluded.changed_time`,
);
const REMOVE = statement("remove_app_setting", "DELETE FROM app_settings WHERE project = $1 AND key = ANY ($2)");
export const REMOVE_APP_SETTINGS = statement("remove_app_settings", "DELETE FROM app_settings WHERE project = $1");

/** Rows of the table `app_settings`. */
export const appSettingStore = (pool: Pool) => ({
  list: (project: string) => pool.rows<AppSettingRow>(LIST, [project]),
  /** All of it, or nothing. @shape sealed: by key */
  save: (project: string, sealed: Readonly<Record<string, string>>, removed: readonly string[], now: Date) =>
    pool.transaction(async (tx) => {
      await tx.rows(REMOVE, [project, removed]);
      for (const [key, text] of Object.entries(sealed)) await tx.rows(PUT, [project, key, text, now]);
    }),
});
export type AppSettingStore = ReturnType<typeof appSettingStore>;
