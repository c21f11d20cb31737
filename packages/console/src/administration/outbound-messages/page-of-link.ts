/** The query of a page of all requests, as the link of the page before contains it. */
export interface OutboundMessagePage {
  readonly page: number;
  /** The newest request of the first page: newer requests don't move the pages. Undefined for the first page. */
  readonly until: string | undefined;
}

/** -> the page to which a link leads; undefined without a link, or if it leads to no page */
export const pageOfLink = (href: string | undefined): OutboundMessagePage | undefined => {
  if (href === undefined) return undefined;
  const query = new URLSearchParams(href.slice(href.indexOf("?") + 1));
  const page = Number(query.get("page"));
  return Number.isInteger(page) && page > 1 ? { page, until: query.get("until") ?? undefined } : undefined;
};
