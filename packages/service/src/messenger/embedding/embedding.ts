import { MESSENGER_NOT_FOUND, ORIGIN_NOT_ALLOWED, refuse, type Problem } from "@parley/contract";
import type { HandlerContext } from "../../http/route-handlers.ts";
import { accountOfHost } from "../../identity/edge/host.ts";
import { isListed, OPAQUE_ORIGIN } from "./origins.ts";
import type { EmbeddableAccount, EmbeddingStore } from "./store.ts";

/** How a page names its account and itself. */
export interface EmbeddingPage {
  readonly account?: string | undefined;
  readonly alias?: string | undefined;
  /** Origin of the page, as the panel in its frame reports it. */
  readonly origin?: string | undefined;
}

interface EmbeddingDeps {
  readonly store: EmbeddingStore;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Whether the instance is for this machine only. */
  readonly isLocal: boolean;
}

type RequestHeaders = Pick<HandlerContext["request"], "header">;

/** Whether an origin is that of this service. Its only page that embeds the messenger is the console, which no other page can embed. */
const isOwnOrigin = (origin: string, { header }: RequestHeaders): boolean =>
  origin.replace(/^https?:\/\//, "") === header("host");

/**
 * The origin of the page that embeds the messenger. A browser sets the header Origin of requests of the page itself; requests of the panel come
 * from this service, so that the panel reports the origin of its parent.
 */
const originOfPage = (request: RequestHeaders, reported: string | undefined): string => {
  const sent = request.header("origin");
  const isOwn = sent === undefined || isOwnOrigin(sent, request);
  const origin = (isOwn ? reported : sent) ?? OPAQUE_ORIGIN;
  // Some browsers report the origin of a file so; all send it as null.
  return origin.startsWith("file:") ? OPAQUE_ORIGIN : origin;
};

/** Refuses a page. The script prints the message in the console of the browser, so it also says what to do. */
const refusePage = (problem: Problem, message = problem.message): never =>
  refuse(problem, `${message} ${problem.remedy}`);

/** Finds the accounts of pages, and refuses pages that an account does not list. */
export const createEmbedding = ({ store, domain, isLocal }: EmbeddingDeps) => {
  /**
   * The account of a page: the host names it, else it is the only account of the installation, else the page names it by its name or by an alias.
   * On a local instance a page that names no known account has the first one, which is the demo account that its start announces.
   * @errors MESSENGER_NOT_FOUND
   * @assumed The order. An alias that the account does not have is no reason to refuse a page that names the account otherwise.
   */
  const accountOf = async (host: string | undefined, { account, alias }: EmbeddingPage): Promise<EmbeddableAccount> => {
    const named = accountOfHost(host, domain);
    if (named !== undefined) return (await store.byName(named)) ?? refusePage(MESSENGER_NOT_FOUND);
    const first = await store.first();
    const found = first?.isOnly
      ? first.account
      : ((account === undefined ? undefined : await store.byName(account)) ??
        (alias === undefined ? undefined : await store.byAlias(alias)));
    const local = isLocal && account === undefined ? first?.account : undefined;
    return found ?? local ?? refusePage(MESSENGER_NOT_FOUND);
  };
  return {
    accountOf,
    /** @errors MESSENGER_NOT_FOUND, ORIGIN_NOT_ALLOWED */
    async admit(request: RequestHeaders, page: EmbeddingPage): Promise<EmbeddableAccount> {
      const account = await accountOf(request.header("host"), page);
      const origin = originOfPage(request, page.origin);
      if (isListed(account.origins, origin) || isOwnOrigin(origin, request)) return account;
      return refusePage(
        ORIGIN_NOT_ALLOWED,
        origin === OPAQUE_ORIGIN
          ? "A page without an origin, such as a file, can't show the messenger: the account has a list of origins."
          : `The account's list of origins does not contain ${origin.slice(0, 300)}.`,
      );
    },
    /** Whether the alias is one of the account's. */
    hasAlias: async (account: EmbeddableAccount, alias: string) => (await store.byAlias(alias))?.id === account.id,
  };
};
export type Embedding = ReturnType<typeof createEmbedding>;
