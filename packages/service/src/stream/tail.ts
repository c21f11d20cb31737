import type { LogRow } from "../events/db/log.ts";

/** The newest events of one account, for all its streams in this process. */
export interface Tail {
  /** Rows that became final, in order. */
  add(rows: readonly LogRow[]): void;
  /** -> those after a position, in order; undefined where it does not reach back so far: the log does */
  after(seq: number, limit: number): readonly LogRow[] | undefined;
}

/** @shape from: all of the account's after it will be added; most: rows that are kept */
export const tail = (from: number, most: number): Tail => {
  const rows: LogRow[] = [];
  let reach = from;
  return {
    add(added) {
      rows.push(...added);
      const dropped = rows.splice(0, Math.max(0, rows.length - most));
      reach = dropped.at(-1)?.seq ?? reach;
    },
    after(seq, limit) {
      if (seq < reach) return undefined;
      const first = rows.findLastIndex((row) => row.seq <= seq) + 1;
      return rows.slice(first, first + limit);
    },
  };
};
