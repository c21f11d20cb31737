import { statement, type Connection } from "@parley/database";
import {
  catalogStore,
  qualifiedName,
  type CatalogSequence,
  type CatalogTable,
} from "../../world/snapshot/db/catalog.ts";

/** A migration that was applied to the data. */
export interface AppliedMigration {
  readonly id: number;
  readonly name: string;
}

/** Opens one consistent snapshot; UTC makes the text of times independent of the server's time zone. */
const BEGIN = `
  begin transaction isolation level repeatable read read only;
  set local timezone = 'UTC';
  set local statement_timeout = 0`;

/** Rows that one FETCH returns. */
const ROWS_PER_FETCH = 1_000;

const cursorOf = (table: CatalogTable) =>
  statement("", `declare kept no scroll cursor for select row_to_json(t)::text as line from ${qualifiedName(table)} t`);
const FETCH = statement("", `fetch ${ROWS_PER_FETCH} from kept`);

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
      for (;;) {
        const rows = await connection.rows<{ line: string }>(FETCH, []);
        if (rows.length === 0) break;
        yield rows.map(({ line }) => line);
      }
      await connection.script("close kept");
    },
  };
};
