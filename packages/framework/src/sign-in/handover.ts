import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { portOf, type SiteAddress } from "../pages/origin.ts";

/**
 * The agent's page has a host name of its own, below `localhost`, where browsers do not send the session cookie. A navigation there is sent to
 * `localhost`, which has the cookie, and back with a ticket that is valid once. The ticket is exchanged for a cookie of the page's host name
 * only, which the frames of the app, on a host name below it, do not receive. Each load of the page goes through the handover, so that
 * the page belongs to the agent who is signed in to the service at that time.
 */
export const HANDOVER_ROUTE = "/front/handover";
export const ENTRY_ROUTE = "/front/enter";

/** @units milliseconds */
const TICKET_LIFETIME_MS = 30_000;
/** Maximum kept tickets, and maximum kept page cookies. Beyond it the oldest are dropped: their pages go through the handover again. */
const KEPT_MAX = 1_000;
/** @units bytes */
const SECRET_BYTES = 32;

/** Cookies are shared between ports: the name contains the port, so that hosts on one machine do not replace each other's. */
const cookieNameAt = (request: FastifyRequest): string => `parley_page_${portOf(request).slice(1)}`;

const keep = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= KEPT_MAX) break;
    map.delete(oldest);
  }
};

/** -> a path with its query on this host; `/` for anything else */
const localPath = (text: string | undefined): string => {
  if (text === undefined || !/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.length > 4_096) return "/";
  return text;
};

interface HandoverDeps {
  readonly site: SiteAddress;
  readonly random: (count: number) => Buffer;
}

/** Passes sessions from `localhost` to the host name of the agent's page. */
export const createSessionHandover = ({ site, random }: HandoverDeps) => {
  const tickets = new Map<string, { readonly session: string; readonly expiresMs: number }>();
  /** By page cookie. @shape isFresh: whether no page was loaded with it yet */
  const handedOver = new Map<string, { readonly session: string; isFresh: boolean }>();
  const newSecret = (): string => random(SECRET_BYTES).toString("base64url");

  const isAtPage = (request: FastifyRequest): boolean => site.isPageHost(request);

  /** The known values of the page's cookie. The app can add cookies of this name, whose values are unknown. */
  const knownCookies = (request: FastifyRequest): readonly string[] => {
    const name = `${cookieNameAt(request)}=`;
    const values = (request.headers.cookie ?? "").split(";").flatMap((part) => {
      const text = part.trim();
      return text.startsWith(name) ? [text.slice(name.length)] : [];
    });
    return values.filter((value) => handedOver.has(value));
  };

  return {
    isAtPage,
    /** -> the session that was handed over to the page's host name; undefined without a session, and for a further load of a page */
    sessionOf(request: FastifyRequest, isPageLoad: boolean): string | undefined {
      const [known, another] = knownCookies(request);
      const found = known === undefined || another !== undefined ? undefined : handedOver.get(known);
      if (!found || !isPageLoad) return found?.session;
      const { isFresh } = found;
      found.isFresh = false;
      return isFresh ? found.session : undefined;
    },
    /** Drops the data of an ended session. */
    forget(session: string): void {
      for (const [cookie, known] of handedOver) if (known.session === session) handedOver.delete(cookie);
    },
    /** Sends a navigation on the page's host name through the handover. */
    begin: (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
      reply.redirect(
        `http://localhost${portOf(request)}${HANDOVER_ROUTE}?to=${encodeURIComponent(localPath(request.url))}`,
        302,
      ),
    routes(host: FastifyInstance): void {
      host.get<{ Querystring: { to?: string } }>(HANDOVER_ROUTE, async (request, reply) => {
        const to = localPath(request.query.to);
        // Without sign-in there is nothing to hand over, and on the page's own host name nothing is left to do.
        if (!request.pageSession || isAtPage(request)) return reply.redirect(to, 302);
        const ticket = newSecret();
        keep(tickets, ticket, {
          session: request.pageSession.secret,
          expiresMs: performance.now() + TICKET_LIFETIME_MS,
        });
        const query = new URLSearchParams({ ticket, to }).toString();
        return reply.redirect(`${site.pageOrigin(request)}${ENTRY_ROUTE}?${query}`, 302);
      });
      host.get<{ Querystring: { ticket?: string; to?: string } }>(ENTRY_ROUTE, async (request, reply) => {
        const { ticket = "", to } = request.query;
        const found = isAtPage(request) ? tickets.get(ticket) : undefined;
        if (found) tickets.delete(ticket);
        // An old ticket, as of a page in the history, admits to nothing: the page begins the handover again.
        if (!found || found.expiresMs < performance.now()) return reply.redirect(localPath(to), 302);
        const cookie = newSecret();
        keep(handedOver, cookie, { session: found.session, isFresh: true });
        return reply
          .header("set-cookie", `${cookieNameAt(request)}=${cookie}; Path=/; HttpOnly; SameSite=Lax`)
          .redirect(localPath(to), 302);
      });
    },
  };
};
