import { EmbedTicket, matchesSchema, PAGE_SESSION_HEADER } from "@parley/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { EMBED_ROUTES, type SiteAddress } from "../pages/origin.ts";
import { isSameOrigin, PAGE_HEADERS } from "../pages/page-guard.ts";
import { isFromOwnPage } from "./page-requests.ts";
import type { PageSessions } from "./page-sessions.ts";
import { agentFault } from "./rules.ts";

interface EmbeddedGateDeps {
  readonly sessions: Pick<PageSessions, "enterEmbedded" | "embeddedSessionOf">;
  readonly site: Pick<SiteAddress, "isPageHost">;
  /** The account whose agents are admitted. */
  readonly account: string;
}

/** All that a page inside the console requests with its session. */
const EMBEDDED_ROUTES: readonly string[] = [EMBED_ROUTES.model, "/front/call"];

const INVALID_TICKET = "The ticket is not valid: it was used, is older than half a minute, or belongs to another page.";
const ENDED_SESSION = "Your session has ended. Sign in again.";
const UNREACHABLE = "The service that knows who is signed in can't be asked at present. Try again in a moment.";
const FOREIGN = "Only the page of this host may ask this.";

/**
 * Admits the page that the console embeds by the session in its header, wherever the host's other pages are open or need a cookie. The session
 * of such a page admits to its own requests only.
 */
export const acceptEmbeddedSessions = (host: FastifyInstance, { sessions, site, account }: EmbeddedGateDeps): void => {
  const sendRefusal = (reply: FastifyReply, code: number, message: string): FastifyReply =>
    reply.code(code).headers(PAGE_HEADERS).send({ message });
  const isForeign = (request: FastifyRequest): boolean => !isFromOwnPage(request) || !site.isPageHost(request);

  host.decorateRequest("pageSession");
  host.addHook("onRequest", async (request, reply) => {
    if (request.headers[PAGE_SESSION_HEADER] === undefined) return undefined;
    if (isForeign(request) || !EMBEDDED_ROUTES.includes(request.routeOptions.url ?? ""))
      return sendRefusal(reply, 403, FOREIGN);
    const session = await sessions.embeddedSessionOf(request);
    if (!session || session.state === "signed-out") return sendRefusal(reply, 401, ENDED_SESSION);
    if (session.state === "unverifiable") return sendRefusal(reply, 503, UNREACHABLE);
    const { agent, secret } = session;
    const fault = agentFault("agent", agent, account);
    if (fault !== undefined) return sendRefusal(reply, 403, fault);
    request.pageSession = { secret, agent };
    return undefined;
  });
  host.post(EMBED_ROUTES.session, async (request, reply) => {
    const { origin } = request.headers;
    if (isForeign(request) || origin === undefined || !isSameOrigin(request)) return sendRefusal(reply, 403, FOREIGN);
    if (!matchesSchema(EmbedTicket, request.body)) return sendRefusal(reply, 400, "Send a ticket.");
    const entered = await sessions.enterEmbedded(request, request.body.ticket);
    if (entered === "unreachable") return sendRefusal(reply, 503, UNREACHABLE);
    return entered ? reply.headers(PAGE_HEADERS).send(entered) : sendRefusal(reply, 401, INVALID_TICKET);
  });
};
