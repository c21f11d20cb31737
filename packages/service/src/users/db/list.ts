import { statement, type Db } from "@parley/database";

/** What is looked for, and which part of it. */
export interface UserSelection {
  readonly filters: UserFilters;
  readonly sort_by: keyof typeof SORTS;
  readonly sort_order: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
}

export type UserFilters = { readonly [F in keyof typeof CONDITIONS]?: string | undefined };

/** `items`: the bodies, apart by commas. */
export interface UserPage {
  readonly total: number;
  readonly items: string;
}

/** @spec Endpoints > Users. @assumed Text matches when it is the same, letter by letter. */
const CONDITIONS = {
  first_name: "first_name =",
  last_name: "last_name =",
  email: "email =",
  reference_id: "reference_id =",
  phone_no: "phone =",
  created_from: "created_time >=",
  created_to: "created_time <",
  updated_from: "updated_time >",
  updated_to: "updated_time <",
} as const;

/** @assumed Users without the field come last, first when descending. */
const SORTS = {
  created_time: "created_time",
  updated_time: "updated_time",
  first_name: "first_name",
  last_name: "last_name",
  email: "email",
} as const;

/** The only texts of a caller in a statement are values; names come from the tables above. */
const conditionsOf = (filters: UserFilters): { readonly text: string; readonly values: readonly string[] } => {
  const given = Object.entries(CONDITIONS).flatMap(([name, condition]) => {
    const value = filters[name as keyof UserFilters];
    return value === undefined ? [] : [{ condition, value }];
  });
  const fixed = ["account_id = $1", "deleted_time is null"];
  return {
    text: [...fixed, ...given.map(({ condition }, index) => `${condition} $${index + 4}`)].join(" and "),
    values: given.map(({ value }) => value),
  };
};

/**
 * A page of users and how many there are in all, of one moment. Ties are ordered by `sequence`, so that pages neither repeat nor
 * leave out anybody.
 */
export const listUsers = async (db: Db, accountId: number, selection: UserSelection): Promise<UserPage> => {
  const { text: conditions, values } = conditionsOf(selection.filters);
  const direction = selection.sort_order === "desc" ? "desc" : "asc";
  const order = `${SORTS[selection.sort_by]} ${direction}, sequence ${direction}`;
  // Not prepared: there are thousands of combinations, and each deserves a plan of its own.
  const text = `
    select (select count(*) from users where ${conditions}) as total,
           coalesce(string_agg(page.body, ',' order by ${order}), '') as items
      from (select * from users where ${conditions} order by ${order} limit $2 offset $3) as page`;
  const page = await db.one<UserPage>(statement("", text), [accountId, selection.limit, selection.offset, ...values]);
  return page ?? { total: 0, items: "" };
};
