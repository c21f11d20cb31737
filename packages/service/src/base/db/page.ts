import { statement, type Db, type Statement } from "@parley/database";
import type { TObject } from "typebox";

/** A row without its null members: absence is an absent member everywhere else. */
export const withoutNulls = <T extends object>(row: T): T =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T;

export type SortOrder = "asc" | "desc";

/**
 * SQL for sorting a text column without regard to case and accents; null for null.
 * @assumed Texts are sorted without regard to case and accents. Texts that are equal otherwise are sorted by their creation.
 */
export const sortKey = (column: string): string => `(sort_key(${column}) collate "C")`;

/** The SQL type of a schema's values if they are not texts. */
const SQL_TYPES: Readonly<Record<string, string>> = { integer: "numeric", number: "numeric", boolean: "boolean" };

/**
 * SQL for sorting rows by fields of their `body`.
 * @shape columns: SQL of the fields that have a column
 */
export const sortsByField = <const F extends string>(
  { properties }: TObject,
  fields: readonly F[],
  columns: Partial<Record<NoInfer<F>, string>>,
): Readonly<Record<F, string>> =>
  Object.fromEntries(
    fields.map((field) => {
      const { type: json }: { readonly type?: unknown } = properties[field] ?? {};
      const type = SQL_TYPES[String(json)];
      const value = `(body::json ->> '${field}')`;
      return [field, columns[field] ?? (type === undefined ? sortKey(value) : `${value}::${type}`)];
    }),
  ) as Record<F, string>;

/** SQL of a page of a list. The total is returned even if the page is empty. */
const pageText = (matching: string, orderBy: string) => `
with matching as materialized (${matching})
select counted.total, page.body
  from (select count(*)::integer as total from matching) counted
  left join (select body, row_number() over (order by ${orderBy}) as place
               from matching
              order by place
              limit $1 offset $2) page on true
 order by page.place`;

/**
 * A statement for each sort order of a small list, so that no part of an `order by` comes from a request.
 * @shape matching: rows with `id`, `body` and the columns to sort by; its own parameters start at `$3`
 */
export function sortedPages<const F extends string>(
  name: string,
  { sorts, matching }: { readonly sorts: Readonly<Record<F, string>>; readonly matching: string },
): (by: F, order: SortOrder) => Statement {
  const made = new Map<string, Statement>();
  for (const [by, column] of Object.entries<string>(sorts))
    for (const order of ["asc", "desc"]) {
      const text = pageText(matching, `${column} ${order} nulls last, id ${order}`);
      made.set(`${by} ${order}`, statement(`${name}_${by}_${order}`, text));
    }
  return (by, order) => made.get(`${by} ${order}`) as Statement;
}

/** Runs a statement of `sortedPages`. The bodies are the stored JSON. */
export async function readPage<T>(
  db: Db,
  sorted: Statement,
  { itemsPerPage, offset }: Page,
  values: readonly unknown[],
): Promise<{ total: number; items: T[] }> {
  const rows = await db.rows<{ total: number; body: string | null }>(sorted, [itemsPerPage, offset, ...values]);
  const items = rows.flatMap(({ body }) => (body === null ? [] : [JSON.parse(body) as T]));
  return { total: rows[0]?.total ?? 0, items };
}

/** The position of a page in its list. */
export interface Page {
  readonly page: number;
  readonly itemsPerPage: number;
  /** Number of items before the page. */
  readonly offset: number;
}
