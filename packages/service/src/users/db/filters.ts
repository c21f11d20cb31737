import { instant } from "../instant.ts";

export type UserFilters = { readonly [F in keyof typeof CONDITIONS]?: string | undefined };

const given = (text: string): string => text;

// An index holds a key or the beginning of a text: the condition picks those that it is true of.
const bySortKey = (column: string, condition: (value: string) => string) => (value: string) =>
  `${column}_key = sort_key(${value}) and ${condition(value)}`;
const byBeginning = (column: string, textOf: (text: string) => string) => (value: string) =>
  `${column} is not null and left(${textOf(column)}, 200) = left(${textOf(value)}, 200) and ${textOf(column)} = ${textOf(value)}`;
const isSameName = (column: string) => bySortKey(column, (value) => `${column} = ${value}`);

/**
 * Each as SQL of its parameter, and what that parameter is.
 * @spec Endpoints > Users
 * @assumed Names and reference ids match when they are the same, letter by letter; an e-mail address whatever the case of its letters; a
 * phone number when its digits are the same, however they are grouped, with 00 for the plus sign.
 */
const CONDITIONS = {
  first_name: [isSameName("first_name"), given],
  last_name: [isSameName("last_name"), given],
  email: [bySortKey("email", (value) => `lower(email) = lower(${value})`), given],
  reference_id: [byBeginning("reference_id", given), given],
  phone_no: [byBeginning("phone", (text) => `phone_key(${text})`), given],
  created_from: [(value) => `created_time >= ${value}`, instant.ceil],
  created_to: [(value) => `created_time < ${value}`, instant.ceil],
  updated_from: [(value) => `updated_time > ${value}`, instant.floor],
  updated_to: [(value) => `updated_time < ${value}`, instant.ceil],
} as const satisfies Record<string, readonly [condition: (value: string) => string, value: (text: string) => string]>;

const entriesOf = (filters: UserFilters) =>
  Object.entries(CONDITIONS).flatMap(([name, [condition, valueOf]]) => {
    const text = filters[name as keyof UserFilters];
    return text === undefined ? [] : [{ name, condition, value: valueOf(text) }];
  });

/**
 * The condition that picks the users, with `$1` for the account and its other values from `first` on: the only texts of a caller in a
 * statement are values.
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

/** A part of everybody in created order. */
export interface CreatedRange {
  readonly from: string | null;
  /** Exclusive. */
  readonly to: string | null;
}

/** -> undefined when something else is asked for than when users were created. */
export const createdRangeOf = (filters: UserFilters): CreatedRange | undefined => {
  const { created_from, created_to } = filters;
  const others = entriesOf(filters).some(({ name }) => name !== "created_from" && name !== "created_to");
  if (others) return undefined;
  return {
    from: created_from === undefined ? null : instant.ceil(created_from),
    to: created_to === undefined ? null : instant.ceil(created_to),
  };
};
