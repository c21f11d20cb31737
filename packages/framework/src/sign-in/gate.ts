import { createPageAddressOf, sessionCookieOf } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hostNameOf, portOf, type SiteAddress } from "../pages/origin.ts";
import { isFromOwnPage, isNavigation, isPageLoad } from "./page-requests.ts";
import type { VerifySession } from "../identity/session-verifier.ts";
import { PAGE_HEADERS } from "../pages/page-guard.ts";
import { createSessionHandover } from "./handover.ts";
import { agentFault, routeNeed } from "./rules.ts";
import { loadRefusalPages } from "./refusal-pages.ts";

interface SignInGateDeps {
  readonly verify: VerifySession;
  /** Name of the account that this host serves. */
  readonly account: string;
  /** Origin of the service's pages, where agents sign in. */
  readonly serviceOrigin: string;
  /** Name of the app. */
  readonly app: () => string;
  readonly site: SiteAddress;
  readonly random: (count: number) => Buffer;
}

/** Names of this host at which the service may have set a session cookie. Pages under other names, such as the app's, could only have set their own. */
const COOKIE_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Requires a session for the pages of the host and everything that they request: of the account of this host, with the role or scope that the
 * route needs. Pages show why they refuse and where to sign in. If the service can't be asked, nobody is admitted and nobody is told that
 * the session has ended.
 */
export const requireSignIn = async (host: FastifyInstance, deps: SignInGateDeps): Promise<void> => {
  const { verify, account, app } = deps;
  const refusals = await loadRefusalPages({ serviceOrigin: deps.serviceOrigin, title: app });
  const handover = createSessionHandover(deps);
  // Served on this machine only: the name of the host decides about the scheme.
  const pageAddressOf = createPageAddressOf(undefined);

  const secretOf = (request: FastifyRequest): string | undefined => {
    if (handover.isAtPage(request)) return handover.sessionOf(request, isPageLoad(request));
    return COOKIE_HOSTS.includes(hostNameOf(request))
      ? sessionCookieOf(request.headers, pageAddressOf(request.headers.host))
      : undefined;
  };

  const askToSignIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (isNavigation(request)) {
      if (handover.isAtPage(request)) return handover.begin(request, reply.headers(PAGE_HEADERS));
      // Most likely the service was opened there.
      if (hostNameOf(request) !== "localhost")
        return reply.headers(PAGE_HEADERS).redirect(`http://localhost${portOf(request)}${request.url}`, 302);
    }
    const reason = `This page is for agents of the account ${account}, and you are not signed in.`;
    return refusals.signedOut(request, reply, reason, "reload this page");
  };

  if (!host.hasRequestDecorator("pageSession")) host.decorateRequest("pageSession");
  host.addHook("onRequest", async (request, reply) => {
    const need = routeNeed(request.routeOptions.url);
    // A page inside the console is admitted before.
    if (need === "open" || request.pageSession || deps.site.isFrameHost(request)) return undefined;
    if (!isFromOwnPage(request)) return refusals.foreign(request, reply);
    const secret = secretOf(request);
    if (secret === undefined) return askToSignIn(request, reply);
    const verified = await verify(secret);
    if (verified.state === "unverifiable") return refusals.unverifiable(request, reply);
    if (verified.state === "signed-out") {
      handover.forget(secret);
      return askToSignIn(request, reply);
    }
    const { agent } = verified;
    const fault = agentFault(need, agent, account);
    if (fault !== undefined) return refusals.forbidden(request, reply, fault, agent);
    request.pageSession = { secret, agent };
    return undefined;
  });
  handover.routes(host);
};
