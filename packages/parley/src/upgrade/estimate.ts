import type { TableSize } from "./check.sql.ts";
import type { MigrationEffect, TableEffect } from "./migration-effects.ts";

/** Cost of an effect on the tables of a database. */
interface EffectEstimate extends TableEffect {
  /** Estimated number of rows. */
  readonly rows: number;
  /** For how long statements on the table wait, or writes where only those do. @units seconds */
  readonly blockedSeconds: number;
  /** Needed until the migration ends. @units bytes */
  readonly extraBytes: number;
}

export interface MigrationEstimate extends Omit<MigrationEffect, "tables"> {
  readonly tables: readonly EffectEstimate[];
}

/** Rates of a slow disk: an estimate that is too long harms less than an estimate that is too short. */
const REWRITTEN_BYTES_PER_SECOND = 30_000_000;
const INDEXED_ROWS_PER_SECOND = 200_000;
const CHANGED_ROWS_PER_SECOND = 20_000;
/** Share of a table's size that an index has at most, as a rule. */
const INDEX_SHARE = 0.3;

const estimateOf = (effect: TableEffect, { rows, bytes }: TableSize): EffectEstimate => {
  const { change, blockingIndexes, writesRows } = effect;
  const rewriting = change === "rewritten" ? bytes / REWRITTEN_BYTES_PER_SECOND : 0;
  const indexing = change === "kept" ? (blockingIndexes * rows) / INDEXED_ROWS_PER_SECOND : 0;
  // Which rows a migration changes is not known: at most all.
  const changing = writesRows && change === "kept" ? rows / CHANGED_ROWS_PER_SECOND : 0;
  const extraBytes =
    change === "dropped"
      ? 0
      : (change === "rewritten" || writesRows ? bytes : 0) + blockingIndexes * INDEX_SHARE * bytes;
  return {
    ...effect,
    rows,
    blockedSeconds: Math.round(10 * (rewriting + indexing + changing)) / 10,
    extraBytes: Math.round(extraBytes),
  };
};

/** Estimates what a migration costs, from the sizes of its tables. */
export const estimateMigration = (effect: MigrationEffect, sizes: readonly TableSize[]): MigrationEstimate => ({
  ...effect,
  tables: effect.tables.map((each) =>
    estimateOf(each, sizes.find(({ name }) => name === each.table) ?? { name: each.table, rows: 0, bytes: 0 }),
  ),
});

/** Space that a migration needs until it ends, with the indexes that it builds. @units bytes */
export const extraBytesOf = ({ tables, indexes }: MigrationEstimate, sizes: readonly TableSize[]): number =>
  tables.reduce((sum, { extraBytes }) => sum + extraBytes, 0) +
  indexes.reduce((sum, { table }) => sum + INDEX_SHARE * (sizes.find(({ name }) => name === table)?.bytes ?? 0), 0);
