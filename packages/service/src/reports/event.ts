import type { Statement } from "@parley/database";
import { cellsOf, type Column, type Stretch } from "./column.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The longest range that a report may be asked for. @assumed One month is 31 days. */
export const SPANS = { day: { ms: DAY, words: "24 hours" }, month: { ms: 31 * DAY, words: "31 days" } } as const;

/**
 * How long a stretch is that becomes one file. @units milliseconds
 * @assumed Files of six hours of a transcript, of a day of messages, of a week of all else; what is added up is one file.
 */
export const STEPS = { sixHours: 6 * HOUR, day: DAY, week: 7 * DAY, whole: Infinity } as const;

/** What a report of an event is made of: the rows, and what their cells show. */
export interface EventRule<R> {
  readonly span: keyof typeof SPANS;
  readonly step: keyof typeof STEPS;
  /** Its rows are told from the log of events, some time after it. */
  readonly fromFacts?: true;
  /** How much of a stretch is read, and sorted, at a time. @units milliseconds */
  readonly slice?: number;
  /** Takes the account, the beginning (inclusive) and the end (exclusive). */
  readonly rows: Statement;
  /** What a row of the statement is worked up into before its columns are asked; itself when absent. */
  readonly read?: (row: never) => R;
  readonly columns: readonly Column<R>[];
}

/** The same without the type of its rows. */
export interface EventReport extends Omit<EventRule<never>, "columns" | "read"> {
  readonly header: readonly string[];
  cells(row: unknown, stretch: Stretch, withoutPii: boolean): string[];
}

/** Joins a statement to the columns that show its rows: here the rows' type is erased. */
export const eventReport = <R>({ columns, read, ...rule }: EventRule<R>): EventReport => ({
  ...rule,
  header: columns.map(({ name }) => name),
  cells: (row, stretch, withoutPii) => cellsOf(columns, read ? read(row as never) : (row as R), stretch, withoutPii),
});

/** Messages are many: a transcript is sorted hour by hour. @units milliseconds */
export const MESSAGE_SLICE = HOUR;
