import { INVALID_VALUE, type InboxOrder, refuse } from "@parley/contract";

/** How an order sorts. All columns sort in the same direction; the last one is unique. */
interface InboxSort {
  readonly columns: readonly InboxSortColumn[];
  readonly direction: "asc" | "desc";
}

/** SQL types of the columns that lists are sorted by. */
export const SORT_COLUMN_TYPES = {
  activity_time: "timestamptz",
  created_time: "timestamptz",
  number: "bigint",
  priority: "smallint",
  waiting_order: "bigint",
} as const;
type InboxSortColumn = keyof typeof SORT_COLUMN_TYPES;

/**
 * How each order sorts.
 * @assumed Conversations of one priority are listed by their newest activity, as are those in which nobody waits.
 */
export const INBOX_SORTS: Readonly<Record<InboxOrder, InboxSort>> = {
  newest_activity: { columns: ["activity_time", "number"], direction: "desc" },
  oldest_activity: { columns: ["activity_time", "number"], direction: "asc" },
  newest: { columns: ["created_time", "number"], direction: "desc" },
  oldest: { columns: ["created_time", "number"], direction: "asc" },
  priority: { columns: ["priority", "activity_time", "number"], direction: "desc" },
  waiting: { columns: ["waiting_order", "number"], direction: "asc" },
};

/** Values of the sort columns of a conversation; times in milliseconds since 1970. */
export type InboxPosition = readonly number[];

/** A position in a list, by the columns of its order. */
export const positionOf = (
  order: InboxOrder,
  row: { readonly [column in InboxSortColumn]: number | Date },
): InboxPosition => INBOX_SORTS[order].columns.map((column) => Number(row[column]));

/** A position that is compared in ascending order whatever the order of the list. */
export const listPositionOf = (
  order: InboxOrder,
  row: { readonly [column in InboxSortColumn]: number | Date },
): number[] => positionOf(order, row).map((value) => (INBOX_SORTS[order].direction === "asc" ? value : -value));

const VERSION = "1";

/** Text of a position: opaque to clients. */
export const inboxCursorOf = (order: InboxOrder, position: InboxPosition): string =>
  Buffer.from([VERSION, order, ...position].join(" ")).toString("base64url");

/** Latest time of a JavaScript date. @units milliseconds */
const TIME_MAX = 8.64e15;

const isValueOf = (column: InboxSortColumn, value: number): boolean => {
  if (!Number.isSafeInteger(value)) return false;
  if (SORT_COLUMN_TYPES[column] === "timestamptz") return Math.abs(value) <= TIME_MAX;
  return SORT_COLUMN_TYPES[column] !== "smallint" || Math.abs(value) < 32_768;
};

/**
 * The position that a cursor names.
 * @errors INVALID_VALUE for a text that is not a cursor of this order
 */
export const parseCursor = (order: InboxOrder, text: string): InboxPosition => {
  const [version, name, ...values] = Buffer.from(text, "base64url").toString().split(" ");
  const position = values.map((value) => (/^-?\d{1,16}$/.test(value) ? Number(value) : Number.NaN));
  const { columns } = INBOX_SORTS[order];
  const isValid =
    version === VERSION &&
    name === order &&
    position.length === columns.length &&
    columns.every((column, index) => isValueOf(column, position[index] ?? Number.NaN));
  if (!isValid || inboxCursorOf(order, position) !== text)
    refuse(INVALID_VALUE, "cursor must be the member next of a page of this order, unchanged.");
  return position;
};
