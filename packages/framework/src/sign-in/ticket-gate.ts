import { createPageAddressOf, SIGN_IN_PATH, type SessionAgent } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { SiteAddress } from "../front/origin.ts";
import { PAGE_HEADERS } from "../pages/page-guard.ts";
import { isFromOwnPage, isNavigation, isPageLoad } from "./page-requests.ts";
import type { PageSessions } from "./page-sessions.ts";
import { agentFault, routeNeed, TICKET_ROUTE } from "./rules.ts";
import { loadSignInPage, SIGN_IN_PAGE_POLICY, type SignInRefusal } from "./view.ts";

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

/** @units seconds */
const RETRY_AFTER = 5;
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
  const page = await loadSignInPage();
  const signInAddress = deps.serviceOrigin + SIGN_IN_PATH;

  const refuse = (request: FastifyRequest, reply: FastifyReply, refusal: SignInRefusal): FastifyReply => {
    void reply.code(refusal.status).headers(PAGE_HEADERS);
    if (refusal.status === 503) void reply.header("retry-after", RETRY_AFTER);
    if (!isNavigation(request)) return reply.send({ message: `${refusal.reason} ${refusal.advice}` });
    return reply
      .header("content-security-policy", SIGN_IN_PAGE_POLICY)
      .type("text/html; charset=utf-8")
      .send(page(deps.title, refusal));
  };
  const unavailable = (request: FastifyRequest, reply: FastifyReply) =>
    refuse(request, reply, {
      status: 503,
      heading: "The service does not answer",
      reason: "The service that knows who is signed in can't be asked at present.",
      advice: `Reload this page in ${RETRY_AFTER} seconds. You need not sign in again.`,
      link: "",
      linkText: "",
    });
  const signedOut = (request: FastifyRequest, reply: FastifyReply, reason: string) =>
    refuse(request, reply, {
      status: 401,
      heading: "Sign in",
      reason,
      advice: `Sign in at ${signInAddress}, then open this page again.`,
      link: signInAddress,
      linkText: "Sign in",
    });
  const askToSignIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (!isPageLoad(request)) return signedOut(request, reply, "You are not signed in.");
    const { cookie, path } = deps.sessions.begin(request, request.url);
    const to = encodeURIComponent(originOf(request) + path);
    return reply
      .headers(PAGE_HEADERS)
      .header("set-cookie", cookie)
      .redirect(`${deps.serviceOrigin}${TICKET_PAGE}?to=${to}`, 302);
  };
  const forbidden = (request: FastifyRequest, reply: FastifyReply, fault: string, agent: SessionAgent) =>
    refuse(request, reply, {
      status: 403,
      heading: "You can't open this page",
      reason: `${fault} You are signed in as ${agent.email}.`,
      advice: "Ask an admin of the account, or sign in as another agent.",
      link: signInAddress,
      linkText: "Sign in as another agent",
    });

  host.decorateRequest("pageSession");
  host.addHook("onRequest", async (request, reply) => {
    const need = routeNeed(request.routeOptions.url);
    if (need === "open" || deps.site.isFrameHost(request)) return undefined;
    if (!isFromOwnPage(request))
      return reply
        .code(403)
        .headers(PAGE_HEADERS)
        .send({ message: "Only pages of this host may ask this. Open the page itself." });
    const session = await deps.sessions.sessionOf(request);
    if (!session || session.state === "signed-out") return askToSignIn(request, reply);
    if (session.state === "unverifiable") return unavailable(request, reply);
    const { agent, secret } = session;
    const fault = agentFault(need, agent, deps.account ?? agent.account);
    if (fault !== undefined) return forbidden(request, reply, fault, agent);
    request.pageSession = { secret, agent };
    return undefined;
  });
  host.get<{ Querystring: { ticket?: string; to?: string } }>(TICKET_ROUTE, async (request, reply) => {
    const { ticket, to } = request.query;
    const path = typeof to === "string" ? deps.sessions.pathOf(request, to) : undefined;
    const isOwn = path !== undefined && typeof ticket === "string";
    const entered = isOwn ? await deps.sessions.enter(request, ticket) : undefined;
    if (entered === "unreachable") return unavailable(request, reply);
    // A redirect would lead to another ticket, without end if tickets are refused.
    if (!entered) return signedOut(request, reply, "The address that you opened is valid once, for half a minute.");
    return reply.headers(PAGE_HEADERS).header("set-cookie", entered.cookie).redirect(localPath(path), 302);
  });
};
