import { createPageAddressOf, SIGN_IN_PATH } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SiteAddress } from "../pages/origin.ts";
import { PAGE_HEADERS } from "../pages/page-guard.ts";
import { isFromOwnPage, isPageLoad } from "./page-requests.ts";
import type { PageSessions } from "./page-sessions.ts";
import { agentFault, routeNeed, TICKET_ROUTE } from "./rules.ts";
import { loadRefusalPages } from "./refusal-pages.ts";

interface TicketGateDeps {
  readonly sessions: PageSessions;
  /** Origin of the service's pages in browsers, where agents sign in. */
  readonly serviceOrigin: string;
  /** Name that the refusal pages show. */
  readonly title: string;
  readonly site: Pick<SiteAddress, "isFrameHost">;
  /** The account whose agents are admitted; undefined: those of every account. */
  readonly account?: string;
}

/** The address of the service that sends a browser back with a ticket. */
const TICKET_PAGE = `${SIGN_IN_PATH}/page`;

const pageAddressOf = createPageAddressOf(undefined);
const originOf = (request: FastifyRequest): string => pageAddressOf(request.headers.host).origin;

/** -> a path with its query on this host; `/` for anything else */
const localPath = (text: unknown): string =>
  typeof text === "string" && /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && text.length <= 4_096 ? text : "/";

/**
 * Requires a session for the pages of a published app, and for all that they request: a person without one is sent to the service, which sends
 * them back with a ticket. If the service can't be asked, nobody is admitted.
 */
export const requirePageSession = async (host: FastifyInstance, deps: TicketGateDeps): Promise<void> => {
  const refusals = await loadRefusalPages({ serviceOrigin: deps.serviceOrigin, title: () => deps.title });
  const signedOut = (request: FastifyRequest, reply: FastifyReply, reason: string) =>
    refusals.signedOut(request, reply, reason, "open this page again");
  const askToSignIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!isPageLoad(request)) return signedOut(request, reply, "You are not signed in.");
    const { cookie, path } = deps.sessions.begin(request, request.url);
    const to = encodeURIComponent(originOf(request) + path);
    return reply
      .headers(PAGE_HEADERS)
      .header("set-cookie", cookie)
      .redirect(`${deps.serviceOrigin}${TICKET_PAGE}?to=${to}`, 302);
  };
  if (!host.hasRequestDecorator("pageSession")) host.decorateRequest("pageSession");
  host.addHook("onRequest", async (request, reply) => {
    const need = routeNeed(request.routeOptions.url);
    // A page inside the console is admitted before.
    if (need === "open" || request.pageSession || deps.site.isFrameHost(request)) return undefined;
    if (!isFromOwnPage(request)) return refusals.foreign(request, reply);
    const session = await deps.sessions.sessionOf(request);
    if (!session || session.state === "signed-out") return askToSignIn(request, reply);
    if (session.state === "unverifiable") return refusals.unverifiable(request, reply);
    const { agent, secret } = session;
    const fault = agentFault(need, agent, deps.account ?? agent.account);
    if (fault !== undefined) return refusals.forbidden(request, reply, fault, agent);
    request.pageSession = { secret, agent };
    return undefined;
  });
  host.get<{ Querystring: { ticket?: string; to?: string } }>(TICKET_ROUTE, async (request, reply) => {
    const { ticket, to } = request.query;
    const path = typeof to === "string" ? deps.sessions.pathOf(request, to) : undefined;
    const isOwn = path !== undefined && typeof ticket === "string";
    const entered = isOwn ? await deps.sessions.enter(request, ticket) : undefined;
    if (entered === "unreachable") return refusals.unverifiable(request, reply);
    // A redirect would lead to another ticket, without end if tickets are refused.
    if (!entered) return signedOut(request, reply, "The address that you opened is valid once, for half a minute.");
    return reply.headers(PAGE_HEADERS).header("set-cookie", entered.cookie).redirect(localPath(path), 302);
  });
};
