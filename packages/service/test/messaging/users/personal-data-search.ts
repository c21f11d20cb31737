import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { statement, type Database } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";

interface Table {
  readonly place: string;
  /** Whether one of its columns contains one of the texts of `$1`. */
  readonly holds: string;
}

const TABLES = statement(
  "",
  `select format('%I.%I', table_schema, table_name) as place,
          string_agg(
            format(case when data_type = 'bytea' then 'encode(%I, ''escape'')' else '%I::text' end, column_name)
              || ' ilike any($1::text[])',
            ' or ') as holds
     from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
    group by 1
    order by 1`,
);

/** -> `schema.table` of every table except PostgreSQL's own */
export const tablesOf = async (database: Database): Promise<string[]> => {
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  try {
    return (await pool.rows<Table>(TABLES, [])).map(({ place }) => place);
  } finally {
    await pool.end();
  }
};

/** Errors of a statement whose table or column was dropped or renamed meanwhile. */
const TABLE_GONE_CODES = new Set(["42P01", "42703"]);
const isGone = (error: unknown) => TABLE_GONE_CODES.has((error as { code?: string }).code ?? "");

/** Searches every column of every table, including the queue's. -> `schema.table` of the tables that contain one of the texts */
export const tablesWith = async (database: Database, ...texts: readonly string[]): Promise<string[]> => {
  const pool = database.pool(SERVICE_SCHEMA, { max: 1 });
  const patterns = texts.map((each) => `%${each}%`);
  const search = async (tries: number): Promise<string[]> => {
    const found: string[] = [];
    for (const { place, holds } of await pool.rows<Table>(TABLES, [])) {
      const count = statement("", `select count(*)::integer as count from ${place} where ${holds}`);
      try {
        if ((await pool.one<{ count: number }>(count, [patterns]))?.count) found.push(place);
      } catch (error) {
        // The queue creates and renames tables in the background.
        if (tries > 0 && isGone(error)) return search(tries - 1);
        throw error;
      }
    }
    return found;
  };
  try {
    return await search(10);
  } finally {
    await pool.end();
  }
};

const read = async (folder: string): Promise<Map<string, string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path, "latin1")] as const)));
};

/** -> contents of the files below a folder, by path; files that are removed meanwhile are omitted */
export const filesOf = async (folder: string): Promise<Map<string, string>> =>
  read(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return filesOf(folder);
    throw error;
  });
