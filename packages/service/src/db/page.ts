import { statement, type Db, type Statement } from "@parley/database";

/** A row as the rest of the house writes absence: a member that isn't there. */
export const withoutNulls = <T extends object>(row: T): T =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T;

export type SortOrder = "asc" | "desc";

/**
 * SQL of the natural order of a text column: the same for every case and accent of a letter, and null for null.
 * @assumed Texts are sorted without regard to case and accents; of texts that differ in nothing else, the earlier created comes first.
 */
export const sortKey = (column: string): string => `(sort_key(${column}) collate "C")`;

/** What a page needs of its list: all the rows are counted, also when the page is empty. */
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
 * A statement for each way to sort a small list: what stands in its `order by` never comes from a request.
 * @shape matching: rows with `id`, `body` and the columns to sort by; its own values count from `$3`
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

/** Runs a statement of `sortedPages`; the bodies are the JSON that was stored. */
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

/** Where a page lies in its list. */
export interface Page {
  readonly page: number;
  readonly itemsPerPage: number;
  /** Items before it. */
  readonly offset: number;
}
