import Type, { type Static, type TSchema } from "typebox";
import { LIMITS } from "./limits.ts";
import { Link } from "./values.ts";

/** @spec Resources and their fields > Pagination parameters (list endpoints) */
export const pageQuery = {
  page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LIMITS.page_max, description: "Page to start from; 1 when absent." }),
  ),
  items_per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Items a page; ${LIMITS.items_per_page} when absent, at most ${LIMITS.items_per_page_max}.`,
    }),
  ),
};

const sortOrder = Type.Optional(Type.Enum(["asc", "desc"], { description: "asc when absent." }));

/** The four query parameters of a list; `fields` are the allowed values of sort_by. */
export const listQuery = <const F extends readonly [string, ...string[]]>(...fields: F) => ({
  ...pageQuery,
  sort_order: sortOrder,
  sort_by: Type.Optional(Type.Enum([...fields] as [F[number], ...F[number][]])),
});

export const Pagination = Type.Object(
  {
    total_items: Type.Integer(),
    total_pages: Type.Integer(),
    current_page: Type.Integer(),
    items_per_page: Type.Integer(),
  },
  { title: "Pagination" },
);
export type Pagination = Static<typeof Pagination>;

/** Links that don't apply are absent: clients follow `next_page` until it is absent. */
export const PageLinks = Type.Object(
  {
    next_page: Type.Optional(Link),
    previous_page: Type.Optional(Link),
    first_page: Type.Optional(Link),
    last_page: Type.Optional(Link),
  },
  { title: "PageLinks" },
);
export type PageLinks = Static<typeof PageLinks>;

/** `{<name>: [item], pagination, links}` */
export const pageOf = <const N extends string, T extends TSchema>(name: N, item: T) =>
  Type.Object({
    ...({ [name]: Type.Array(item) } as { [K in N]: ReturnType<typeof Type.Array<T>> }),
    pagination: Pagination,
    links: PageLinks,
  });
