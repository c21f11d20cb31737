/** Function of a list endpoint. */
export type ListCall = (input: ListInput) => Promise<ListReply>;
export interface ListInput {
  readonly query?: Readonly<Record<string, unknown>>;
}
type ListReply = Readonly<Record<string, unknown>> & {
  readonly links?: { readonly next_page?: { readonly href: string } };
  readonly link?: { readonly href: string };
};

/** Only the query of the link is used, so that a response can't direct the token to another host. */
const nextQueryOf = (reply: ListReply): Record<string, string> | undefined => {
  const href = reply.links?.next_page?.href ?? reply.link?.href;
  const query = href?.split("?")[1];
  return query === undefined ? undefined : Object.fromEntries(new URLSearchParams(query));
};

const pageOf = (query: Readonly<Record<string, unknown>> = {}): number => Number(query["page"] ?? 1);

/** Iterates over pages until a response has no link to a following page, or the link doesn't advance. */
export async function* pagesOf(call: ListCall, input: ListInput): AsyncGenerator<ListReply, void> {
  let { query } = input;
  for (;;) {
    const reply = await call({ ...input, ...(query && { query }) });
    yield reply;
    const next = nextQueryOf(reply);
    if (next === undefined || !(pageOf(next) > pageOf(query))) return;
    query = next;
  }
}

/** Iterates over the items of a list across all pages. */
export async function* itemsOf(call: ListCall, input: ListInput): AsyncGenerator<unknown, void> {
  for await (const reply of pagesOf(call, input))
    yield* Object.values(reply).find((member): member is unknown[] => Array.isArray(member)) ?? [];
}
