import { instant } from "../instant.ts";

export type UserFilters = { readonly [F in keyof typeof CONDITIONS]?: string | undefined };

const given = (text: string): string => text;

/** @spec Endpoints > Users. @assumed Text matches when it is the same, letter by letter. */
const CONDITIONS = {
  first_name: ["first_name =", given],
  last_name: ["last_name =", given],
  email: ["email =", given],
  reference_id: ["reference_id =", given],
  phone_no: ["phone =", given],
  created_from: ["created_time >=", instant.ceil],
  created_to: ["created_time <", instant.ceil],
  updated_from: ["updated_time >", instant.floor],
  updated_to: ["updated_time <", instant.ceil],
} as const satisfies Record<string, readonly [condition: string, value: (text: string) => string]>;

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
    text: [...fixed, ...entries.map(({ condition }, index) => `${condition} $${first + index}`)].join(" and "),
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
