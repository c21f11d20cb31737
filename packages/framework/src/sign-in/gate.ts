import { createPageAddressOf, sessionCookieOf, SIGN_IN_PATH } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hostNameOf, portOf, type SiteAddress } from "../front/origin.ts";
import { isFromOwnPage, isNavigation, isPageLoad } from "./page-requests.ts";
import type { VerifySession } from "../identity/session-verifier.ts";
import { PAGE_HEADERS } from "../pages/page-guard.ts";
import { createSessionHandover } from "./handover.ts";
import { agentFault, routeNeed } from "./rules.ts";
import { loadSignInPage, SIGN_IN_PAGE_POLICY, type SignInRefusal } from "./view.ts";

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

/** @units seconds */
const RETRY_AFTER = 5;

/** Names of this host at which the service may have set a session cookie. Pages under other names, such as the app's, could only have set their own. */
const COOKIE_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Requires a session for the pages of the host and everything that they request: of the account of this host, with the role or scope that the
 * route needs. Pages show why they refuse and where to sign in. If the service can't be asked, nobody is admitted and nobody is told that
 * the session has ended.
 */
export const requireSignIn = async (host: FastifyInstance, deps: SignInGateDeps): Promise<void> => {
  const { verify, account, app } = deps;
  const signInAddress = deps.serviceOrigin + SIGN_IN_PATH;
  const page = await loadSignInPage();
  const handover = createSessionHandover(deps);
  // Served on this machine only: the name of the host decides about the scheme.
  const pageAddressOf = createPageAddressOf(undefined);

  const secretOf = (request: FastifyRequest): string | undefined => {
    if (handover.isAtPage(request)) return handover.sessionOf(request, isPageLoad(request));
    return COOKIE_HOSTS.includes(hostNameOf(request))
      ? sessionCookieOf(request.headers, pageAddressOf(request.headers.host))
      : undefined;
  };

  const refuse = (request: FastifyRequest, reply: FastifyReply, refusal: SignInRefusal): FastifyReply => {
    void reply.code(refusal.status).headers(PAGE_HEADERS);
    if (refusal.status === 503) void reply.header("retry-after", RETRY_AFTER);
    if (!isNavigation(request)) return reply.send({ message: `${refusal.reason} ${refusal.advice}` });
    return reply
      .header("content-security-policy", SIGN_IN_PAGE_POLICY)
      .type("text/html; charset=utf-8")
      .send(page(app(), refusal));
  };
  const askToSignIn = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (isNavigation(request)) {
      if (handover.isAtPage(request)) return handover.begin(request, reply.headers(PAGE_HEADERS));
      // Most likely the service was opened there.
      if (hostNameOf(request) !== "localhost")
        return reply.headers(PAGE_HEADERS).redirect(`http://localhost${portOf(request)}${request.url}`, 302);
    }
    return refuse(request, reply, {
      status: 401,
      heading: "Sign in",
      reason: `This page is for agents of the account ${account}, and you are not signed in.`,
      advice: `Sign in at ${signInAddress}, then reload this page.`,
      link: signInAddress,
      linkText: "Sign in",
    });
  };

  host.decorateRequest("pageSession");
  host.addHook("onRequest", async (request, reply) => {
    const need = routeNeed(request.routeOptions.url);
    if (need === "open" || deps.site.isFrameHost(request)) return undefined;
    if (!isFromOwnPage(request))
      return reply
        .code(403)
        .headers(PAGE_HEADERS)
        .send({ message: "Only pages of this host may ask this. Open the page itself." });
    const secret = secretOf(request);
    if (secret === undefined) return askToSignIn(request, reply);
    const verified = await verify(secret);
    if (verified.state === "unverifiable")
      return refuse(request, reply, {
        status: 503,
        heading: "The service does not answer",
        reason: "The service that knows who is signed in can't be asked at present.",
        advice: `Reload this page in ${RETRY_AFTER} seconds. You need not sign in again.`,
        link: "",
        linkText: "",
      });
    if (verified.state === "signed-out") {
      handover.forget(secret);
      return askToSignIn(request, reply);
    }
    const { agent } = verified;
    const fault = agentFault(need, agent, account);
    if (fault !== undefined)
      return refuse(request, reply, {
        status: 403,
        heading: "You can't open this page",
        reason: `${fault} You are signed in as ${agent.email}.`,
        advice: "Ask an admin of the account, or sign in as another agent.",
        link: signInAddress,
        linkText: "Sign in as another agent",
      });
    request.pageSession = { secret, agent };
    return undefined;
  });
  handover.routes(host);
};
