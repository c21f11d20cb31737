/** What a cell can hold before it is text. */
export type Cell = string | number | boolean | Date | null | undefined;

/** An agent as reports name one; a deleted one has an id and nothing else. */
export interface NamedAgent {
  readonly email: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

/** What ids in the rows stand for, as it is when the report is made. */
export interface Names {
  agent(id: string | null): NamedAgent | undefined;
  group(id: string | null): string | undefined;
  channel(id: string | null): string | undefined;
}

/** What a stretch of a report is of. */
export interface Stretch {
  readonly names: Names;
  /** Inclusive. */
  readonly from: Date;
  /** Exclusive. */
  readonly to: Date;
  conversationUrl(id: string): string;
}

/** One column of a file. */
export interface Column<R> {
  readonly name: string;
  /** What a person says or is called or reached by: left empty in a report that should exclude it. */
  readonly pii?: true;
  readonly value: (row: R, stretch: Stretch) => Cell;
}

const textOf = (cell: Cell): string => {
  if (cell === null || cell === undefined) return "";
  return cell instanceof Date ? cell.toISOString() : String(cell);
};

/** The cells of a row as text, in the columns' order. */
export const cellsOf = <R>(columns: readonly Column<R>[], row: R, stretch: Stretch, withoutPii: boolean): string[] =>
  columns.map(({ pii, value }) => (withoutPii && pii ? "" : textOf(value(row, stretch))));
