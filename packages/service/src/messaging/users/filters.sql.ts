import type { UserSortField } from "@parley/contract";

/** Limits of the comparable timestamps. @units epoch milliseconds */
const TIME_MS_MIN = Date.parse("0001-01-01T00:00:00.000Z");
const TIME_MS_MAX = Date.parse("9999-12-31T23:59:59.999Z");

const textOf = (time: number): string => new Date(Math.min(Math.max(time, TIME_MS_MIN), TIME_MS_MAX)).toISOString();

/**
 * Converts a request's date-time for comparison with columns of millisecond precision.
 * @shape any date-time that passes the query check, including offsets unknown to the database
 */
export const instantOf = {
  /** For `>`: rounds down to the millisecond. */
  floor: (text: string): string => textOf(Date.parse(text)),
  /** For `>=` and `<`: rounds up to the millisecond. */
  ceil: (text: string): string => textOf(Date.parse(text) + (/\.\d{3}0*[1-9]/.test(text) ? 1 : 0)),
} as const;

export type UserFilters = { readonly [F in keyof typeof CONDITIONS]?: string | undefined };

const unchanged = (text: string): string => text;

/** A plus sign that is not URL encoded arrives as a space. Where a number begins with its country, no other character can have become the space. */
const phoneOf = (text: string): string => text.replace(/^ (?=[1-9])/, "+");
/** The same before the @ of an address, which has no spaces. */
const emailOf = (text: string): string => {
  const at = text.lastIndexOf("@");
  return at === -1 ? text : text.slice(0, at).replaceAll(" ", "+") + text.slice(at);
};

// The indexes cover a sort key or a prefix of the text; the exact condition filters their matches.
const bySortKey = (column: string, condition: (value: string) => string) => (value: string) =>
  `${column}_key = sort_key(${value}) and ${condition(value)}`;
const byBeginning = (column: string, textOf: (text: string) => string) => (value: string) =>
  `${column} is not null and left(${textOf(column)}, 200) = left(${textOf(value)}, 200) and ${textOf(column)} = ${textOf(value)}`;
const foldedName = (text: string) => `normalize(lower(${text}), nfc)`;
const isSameName = (column: string) => bySortKey(column, (value) => `${foldedName(column)} = ${foldedName(value)}`);

/**
 * SQL condition of each filter, and the conversion of its parameter.
 * @spec Endpoints > Users
 * @assumed Names match regardless of case and of the Unicode normal form, but not of accents; reference ids match exactly, e-mail
 * addresses regardless of case, phone numbers by their digits regardless of grouping, with 00 for the plus sign. A plus sign that is not URL
 * encoded counts as one at the beginning of a phone number and before the @ of an e-mail address.
 */
const CONDITIONS = {
  first_name: [isSameName("first_name"), unchanged],
  last_name: [isSameName("last_name"), unchanged],
  email: [bySortKey("email", (value) => `lower(email) = lower(${value})`), emailOf],
  reference_id: [byBeginning("reference_id", unchanged), unchanged],
  phone_no: [byBeginning("phone", (text) => `phone_key(${text})`), phoneOf],
  created_from: [(value) => `created_time >= ${value}`, instantOf.ceil],
  created_to: [(value) => `created_time < ${value}`, instantOf.ceil],
  updated_from: [(value) => `updated_time > ${value}`, instantOf.floor],
  updated_to: [(value) => `updated_time < ${value}`, instantOf.ceil],
} as const satisfies Record<string, readonly [condition: (value: string) => string, value: (text: string) => string]>;

const entriesOf = (filters: UserFilters) =>
  Object.entries(CONDITIONS).flatMap(([name, [condition, valueOf]]) => {
    const text = filters[name as keyof UserFilters];
    return text === undefined ? [] : [{ name, condition, value: valueOf(text) }];
  });

/**
 * Builds the condition of the filters. `$1` is the account; the values of the filters start at `$first`. Caller input
 * only ever becomes a parameter value.
 */
export const conditionOf = (
  filters: UserFilters,
  first: number,
): { readonly text: string; readonly values: readonly string[] } => {
  const entries = entriesOf(filters);
  const fixed = ["account_id = $1", "deleted_time is null"];
  return {
    text: [...fixed, ...entries.map(({ condition }, index) => condition(`$${first + index}`))].join(" and "),
    values: entries.map(({ value }) => value),
  };
};

/** A range of creation times. */
export interface CreatedRange {
  readonly from: string | null;
  /** Exclusive. */
  readonly to: string | null;
}

/** -> undefined if there are filters other than those on creation time. */
export const createdRangeOf = (filters: UserFilters): CreatedRange | undefined => {
  const { created_from, created_to } = filters;
  const others = entriesOf(filters).some(({ name }) => name !== "created_from" && name !== "created_to");
  if (others) return undefined;
  return {
    from: created_from === undefined ? null : instantOf.ceil(created_from),
    to: created_to === undefined ? null : instantOf.ceil(created_to),
  };
};

/** The filters, the order and the range of a page of users. */
export interface UserSelection {
  readonly filters: UserFilters;
  readonly sort_by: UserSortField;
  readonly sort_order: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
}

/** `items`: the bodies, separated by commas. */
export interface UserPage {
  readonly total: number;
  readonly items: string;
}
