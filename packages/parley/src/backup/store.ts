import { statement, type Connection } from "@parley/database";
import {
  catalogStore,
  qualifiedName,
  type CatalogSequence,
  type CatalogTable,
  inDependencyOrder,
  quoted,
} from "../test-environment/snapshot/db/catalog.ts";
import type { AppliedMigration, BackupManifest } from "./folder.ts";

/** Opens one consistent snapshot; UTC makes the text of times independent of the server's time zone. */
const BEGIN = `
  begin transaction isolation level repeatable read read only;
  set local timezone = 'UTC';
  set local statement_timeout = 0`;

/** Rows that one FETCH returns. */
const ROWS_PER_FETCH = 1_000;
/** Tables of large rows, which are read row by row: a published version contains the files of its app. */
const TABLES_OF_LARGE_ROWS = ["parley_apps.app_versions"];

const cursorOf = (table: CatalogTable) =>
  statement("", `declare kept no scroll cursor for select row_to_json(t)::text as line from ${qualifiedName(table)} t`);
const fetchOf = ({ schema, name }: CatalogTable) =>
  statement("", `fetch ${TABLES_OF_LARGE_ROWS.includes(`${schema}.${name}`) ? 1 : ROWS_PER_FETCH} from kept`);

const appliedIn = (schema: string) => statement("", `select id, name from "${schema}".migrations order by id`);

/** Reads all tables from one database snapshot. */
export const backupStore = (connection: Connection) => {
  const catalog = catalogStore(connection);
  return {
    begin: () => connection.script(BEGIN),
    end: () => connection.script("commit"),
    tables: (): Promise<CatalogTable[]> => catalog.tables(),
    /** Must be read last: sequence values that are drawn in the meantime belong to no row of the backup. */
    sequences: (): Promise<CatalogSequence[]> => catalog.sequences(),
    applied: (schema: string) => connection.rows<AppliedMigration>(appliedIn(schema), []),
    /** -> batches of rows as JSON texts */
    async *rows(table: CatalogTable): AsyncGenerator<readonly string[]> {
      await connection.rows(cursorOf(table), []);
      const fetch = fetchOf(table);
      for (;;) {
        const rows = await connection.rows<{ line: string }>(fetch, []);
        if (rows.length === 0) break;
        yield rows.map(({ line }) => line);
      }
      await connection.script("close kept");
    },
  };
};

const ACCOUNTS_TABLE = statement("", "select to_regclass('parley_service.accounts') is not null as there");
const ANY_ACCOUNT = statement("", "select 1 from parley_service.accounts limit 1");

/** Releases background work that was claimed by processes of the original instance. */
const RELEASE_CLAIMS = "update parley_service.due_work set queued = false, holder = null";

const insertionOf = (table: CatalogTable) => {
  const columns = table.columns.map(quoted).join(", ");
  return statement(
    "",
    `insert into ${qualifiedName(table)} (${columns}) overriding system value
     select ${columns} from json_populate_recordset(null::${qualifiedName(table)}, $1)`,
  );
};

/** Writes the rows of a backup to an empty database. */
export const restoreStore = (connection: Connection) => {
  const catalog = catalogStore(connection);
  return {
    isEmpty: async (): Promise<boolean> => {
      const found = await connection.one<{ there: boolean }>(ACCOUNTS_TABLE, []);
      return !found?.there || (await connection.one(ANY_ACCOUNT, [])) === undefined;
    },
    /** Sorted so that referenced tables come first. */
    tables: async (): Promise<CatalogTable[]> => inDependencyOrder(await catalog.tables()),
    /** Runs `work` in one transaction, with all tables emptied and triggers disabled. */
    async transaction(
      tables: readonly CatalogTable[],
      sequences: BackupManifest["sequences"],
      work: () => Promise<void>,
    ): Promise<void> {
      const triggered = tables.filter(({ hasTriggers }) => hasTriggers);
      const toggleTriggers = (action: "disable" | "enable") =>
        triggered.map((table) => `alter table ${qualifiedName(table)} ${action} trigger user`);
      await connection.script("begin; set local timezone = 'UTC'; set local statement_timeout = 0");
      try {
        const clearing = [...tables].reverse().map((table) => `delete from ${qualifiedName(table)}`);
        await connection.script([...toggleTriggers("disable"), ...clearing].join(";\n"));
        await work();
        const counting = sequences.map(
          (each) => `alter sequence ${quoted(each.schema)}.${quoted(each.name)} restart with ${Math.trunc(each.next)}`,
        );
        await connection.script([...counting, ...toggleTriggers("enable"), RELEASE_CLAIMS, "commit"].join(";\n"));
      } catch (error) {
        await connection.script("rollback").catch(() => undefined);
        throw error;
      }
    },
    /** @shape lines: JSON texts of rows */
    add: (table: CatalogTable, lines: readonly string[]) =>
      connection.rows(insertionOf(table), [`[${lines.join(",")}]`]),
  };
};
