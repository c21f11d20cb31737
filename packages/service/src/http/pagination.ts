import { LIMITS, type Link, type PageLinks, type Pagination } from "@parley/contract";
import type { HandlerContext } from "./route-handlers.ts";
import type { Page } from "../base/db/page.ts";

/** The parts of the request that links repeat. */
type PageRequest = Pick<HandlerContext["request"], "path" | "query">;

/**
 * Reads the two parameters of a page.
 * @spec Limits
 * @assumed A number of items per page above the maximum is reduced to the maximum.
 */
export const clampPage = (
  { page = 1, items_per_page }: { page?: number | undefined; items_per_page?: number | undefined },
  {
    defaultSize = LIMITS.items_per_page,
    maxSize = LIMITS.items_per_page_max,
  }: { defaultSize?: number; maxSize?: number } = {},
): Page => {
  const itemsPerPage = Math.min(items_per_page ?? defaultSize, maxSize);
  return { page, itemsPerPage, offset: (page - 1) * itemsPerPage };
};

/** The address of another page of the same list, with the same parameters. */
export const pageHref = ({ path, query }: PageRequest, page: number, itemsPerPage: number): string => {
  const parameters = new URLSearchParams(query);
  parameters.set("page", String(page));
  parameters.set("items_per_page", String(itemsPerPage));
  return `${path}?${parameters.toString()}`;
};

/**
 * The reply of a list. `next_page` is absent on the last page, since clients follow it until it is absent.
 * @spec Resources and their fields > Pagination parameters (list endpoints)
 * @assumed A page beyond the end is empty, and its `previous_page` is the last page.
 */
export function pageReply<const N extends string, T>(list: {
  readonly name: N;
  readonly rel: string;
  readonly items: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly itemsPerPage: number;
  readonly request: PageRequest;
}): { [K in N]: T[] } & { pagination: Pagination; links: PageLinks } {
  const { name, rel, items, total, page, itemsPerPage, request } = list;
  const pages = Math.ceil(total / itemsPerPage);
  const link = (to: number): Link => ({ href: pageHref(request, to, itemsPerPage), rel, type: "GET" });
  return {
    ...({ [name]: [...items] } as { [K in N]: T[] }),
    pagination: { total_items: total, total_pages: pages, current_page: page, items_per_page: itemsPerPage },
    links: {
      ...(page < pages && { next_page: link(page + 1) }),
      ...(page > 1 && pages > 0 && { previous_page: link(Math.min(page - 1, pages)) }),
      ...(pages > 0 && { first_page: link(1), last_page: link(pages) }),
    },
  };
}
