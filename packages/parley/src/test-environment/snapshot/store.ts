import { inTransaction, statement, type Connection, type Database } from "@parley/database";
import { catalogStore, type CatalogSequence, type CatalogTable } from "./db/catalog.ts";
import { loadingOf, countOf, removalOf, renamingOf, savedTable, savingOf, schemaOf } from "./db/copy.ts";
import { SNAPSHOT_SCHEMA } from "./db/migrations.ts";
import type { SequencePosition } from "../clock/ports.ts";

/** A row of the table of snapshots. */
export interface SnapshotRow {
  readonly name: string;
  readonly saved_time: Date;
  readonly shape: string;
  readonly row_count: number;
  readonly file_count: number;
  /** null: no position was saved */
  readonly place: SequencePosition | null;
}

interface Saving {
  readonly time: Date;
  readonly files: number;
  readonly position: () => SequencePosition | undefined;
}

const COLUMNS = "name, saved_time, shape, row_count, file_count, place";

const LIST = statement("", `select ${COLUMNS} from snapshots order by name`);
const FIND = statement("", `select ${COLUMNS} from snapshots where name = $1`);
const RECORD = statement(
  "",
  `insert into snapshots (${COLUMNS}) values ($1, $2, $3, $4, $5, $6)
   on conflict (name) do update
     set saved_time = excluded.saved_time, shape = excluded.shape, row_count = excluded.row_count,
         file_count = excluded.file_count, place = excluded.place`,
);
const COPY = statement(
  "",
  `insert into snapshots (${COLUMNS})
   select $2, saved_time, shape, row_count, file_count, place from snapshots where name = $1`,
);
const MOVE_SEQUENCES = statement("", "update snapshot_sequences set snapshot = $2 where snapshot = $1");
const FORGET = statement("", "delete from snapshots where name = $1");
const FORGET_SEQUENCES = statement("", "delete from snapshot_sequences where snapshot = $1");
const RECORD_SEQUENCES = statement(
  "",
  `insert into snapshot_sequences (snapshot, schema, name, next)
   select $1, * from unnest($2::text[], $3::text[], $4::bigint[])`,
);
const SEQUENCES = statement("", "select schema, name, next from snapshot_sequences where snapshot = $1");
const SAVED_TABLES = statement("", "select tablename::text as name from pg_tables where schemaname = $1");

const QUEUE_SCHEMA = "parley_jobs";
const SETTLE = `
  delete from parley_service.allowances;
  delete from parley_service.cursors;
  delete from parley_service.deliveries where state in ('waiting', 'aside');
  update parley_service.subscriptions
     set start_seq = (select case when is_called then last_value else last_value - 1 end from parley_service.log_positions)`;

const keyOf = ({ schema, name }: Pick<CatalogTable, "schema" | "name">) => `${schema}.${name}`;

/** How long a connection is kept for reuse: a reset makes several calls in a row. @units milliseconds */
const REUSE_MS = 1_000;

/** Runs each call on a connection of its own, reusing the last one for a short time. */
const connectionLender = (database: Database) => {
  let idle: { readonly connection: Connection; readonly timer: NodeJS.Timeout } | undefined;
  const takeIdle = (): Connection | undefined => {
    clearTimeout(idle?.timer);
    const connection = idle?.connection;
    idle = undefined;
    return connection;
  };
  const closeIdle = (): void => void takeIdle()?.close();
  const connect = async (): Promise<Connection> => {
    const connection = await database.connect(SNAPSHOT_SCHEMA);
    connection.onLost(() => {
      if (idle?.connection === connection) closeIdle();
    });
    return connection;
  };
  return async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const connection = takeIdle() ?? (await connect());
    try {
      const result = await work(connection);
      closeIdle();
      idle = { connection, timer: setTimeout(closeIdle, REUSE_MS).unref() };
      return result;
    } catch (error) {
      // After an error the state of the connection is unknown.
      await connection.close();
      throw error;
    }
  };
};

/** Database access of snapshots. */
export const snapshotStore = (database: Database) => {
  const withConnection = connectionLender(database);

  const recordSequences = (connection: Connection, name: string, sequences: readonly CatalogSequence[]) =>
    connection.rows(RECORD_SEQUENCES, [
      name,
      sequences.map((each) => each.schema),
      sequences.map((each) => each.name),
      sequences.map((each) => each.next),
    ]);

  return {
    list: () => withConnection((connection) => connection.rows<SnapshotRow>(LIST, [])),
    find: (name: string) => withConnection((connection) => connection.one<SnapshotRow>(FIND, [name])),
    /** Fingerprint of the columns of all tables in this release. */
    shape: () => withConnection((connection) => catalogStore(connection).shape()),
    /** Copies all rows atomically. */
    save: (name: string, { time, files, position }: Saving) =>
      withConnection((connection) =>
        inTransaction(
          connection,
          async () => {
            const catalog = catalogStore(connection);
            const tables = await catalog.filled(await catalog.tables());
            await connection.script(savingOf(name, tables));
            const counted = await connection.one<{ count: number }>(statement("", countOf(name, tables)), []);
            // Read last, like the sequences: values that are drawn in the meantime belong to no saved row.
            const savedPosition = position();
            await connection.rows(RECORD, [
              name,
              time,
              await catalog.shape(),
              counted?.count ?? 0,
              files,
              savedPosition ? JSON.stringify(savedPosition) : null,
            ]);
            await connection.rows(FORGET_SEQUENCES, [name]);
            await recordSequences(connection, name, await catalog.sequences());
          },
          "begin isolation level repeatable read",
        ),
      ),
    /** Restores all rows atomically. @shape tokens: hashes of the tokens to keep, hex */
    load: (name: string, tokens: readonly string[]) =>
      withConnection(async (connection) => {
        const catalog = catalogStore(connection);
        const all = await catalog.tables();
        const schema = schemaOf(name);
        const names = new Set((await connection.rows<{ name: string }>(SAVED_TABLES, [schema])).map((row) => row.name));
        const saved = new Set(all.filter((table) => names.has(savedTable(table))));
        const filled = new Set(await catalog.filled(all));
        const next = new Map((await catalog.sequences()).map((each) => [keyOf(each), each.next]));
        const sequences = await connection.rows<CatalogSequence>(SEQUENCES, [name]);
        const script = loadingOf({
          snapshot: name,
          tables: all.filter((table) => saved.has(table) || filled.has(table)),
          saved,
          sequences: sequences.filter((each) => next.get(keyOf(each)) !== each.next),
          tokens,
          hasQueue: await catalog.hasSchema(QUEUE_SCHEMA),
        });
        await connection.script(script).catch(async (error: unknown) => {
          await connection.script("rollback").catch(() => undefined);
          throw error;
        });
      }),
    /** Resets call counters and moves subscriptions to the end of the log, so that past events are not delivered. */
    settle: () => withConnection((connection) => inTransaction(connection, () => connection.script(SETTLE))),
    rename: (from: string, to: string) =>
      withConnection((connection) =>
        inTransaction(connection, async () => {
          await connection.script(renamingOf(from, to));
          await connection.rows(COPY, [from, to]);
          await connection.rows(MOVE_SEQUENCES, [from, to]);
          await connection.rows(FORGET, [from]);
        }),
      ),
    remove: (name: string) =>
      withConnection((connection) =>
        inTransaction(connection, async () => {
          await connection.script(removalOf(name));
          await connection.rows(FORGET, [name]);
        }),
      ),
  };
};
