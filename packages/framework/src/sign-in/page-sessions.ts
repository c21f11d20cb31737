import {
  createPageAddressOf,
  identityAdmin,
  PAGE_SESSION_HEADER,
  protectedCookie,
  protectedCookieOf,
  schemaErrors,
  type SessionAgent,
} from "@parley/contract";
import type { Vault } from "@parley/database";
import type { FastifyRequest } from "fastify";
import { callServiceAdmin, type ServiceAdmin } from "../identity/service-admin.ts";
import type { VerifySession, VerifiedCookie } from "../identity/session-verifier.ts";

const COOKIE = "parley_apps";
const ENTRY_COOKIE = "parley_apps_entry";
/** @units seconds */
const ENTRY_LIFETIME_SECONDS = 600;
/** @units bytes */
const ENTRY_BYTES = 18;
/** The service ends sessions earlier. @units seconds */
const COOKIE_LIFETIME_SECONDS = 30 * 86_400;
/** @units milliseconds */
const REDEMPTION_TIMEOUT_MS = 5_000;

const pageAddressOf = createPageAddressOf(undefined);
const hostOf = ({ headers }: FastifyRequest): string => (headers.host ?? "").toLowerCase();

/** A session of a request, and the secret that only this host name and the browser know. */
type VerifiedPageSession = VerifiedCookie & { readonly secret: string };

/**
 * Sessions of pages of published apps. The cookie of a host name contains the id of a session of the service, encrypted for that host name, so
 * that each process can read it and no other host name's cookie is valid. The service is asked about the session with each request.
 */
export interface PageSessions {
  /** -> undefined without a cookie */
  sessionOf(request: FastifyRequest): Promise<VerifiedPageSession | undefined>;
  /**
   * Begins an entry in this browser: its end needs the same browser, so that nobody is signed in by another person's ticket.
   * -> the Set-Cookie header, and the path that the ticket has to return to
   */
  begin(request: FastifyRequest, path: string): { readonly cookie: string; readonly path: string };
  /** -> the path that the entry began with; undefined for a path of another browser's entry */
  pathOf(request: FastifyRequest, path: string): string | undefined;
  /** Exchanges a ticket. -> the Set-Cookie header; undefined for an invalid ticket; "unreachable" if the service does not answer */
  enter(request: FastifyRequest, ticket: string): Promise<{ readonly cookie: string } | "unreachable" | undefined>;
  /**
   * Exchanges a ticket for a session that a page inside the console keeps in memory and sends in a header.
   * -> the value of the header; otherwise as `enter`
   */
  enterEmbedded(
    request: FastifyRequest,
    ticket: string,
  ): Promise<{ readonly session: string } | "unreachable" | undefined>;
  /** The session in the header of a request; no cookie is read. -> undefined without a session */
  embeddedSessionOf(request: FastifyRequest): Promise<VerifiedPageSession | undefined>;
}

interface PageSessionsDeps {
  readonly random: (count: number) => Buffer;
  readonly vault: Pick<Vault, "seal" | "open">;
  readonly service: ServiceAdmin;
  /** Verifies ids of sessions. */
  readonly verify: VerifySession;
}

/** The use of a sealed id: a cookie is not valid as a header, and neither is valid at another host name. */
const ownerOf = (host: string): string => `page-session/${host}`;
const embeddedOwnerOf = (host: string): string => `embedded-session/${host}`;

export const createPageSessions = ({ vault, service, verify, random }: PageSessionsDeps): PageSessions => {
  const seal = (owner: string, session: string): string =>
    Buffer.from(vault.seal(owner, session), "base64").toString("base64url");
  const verifySealed = async (owner: string, secret: string): Promise<VerifiedPageSession> => {
    let session: string;
    try {
      session = vault.open(owner, Buffer.from(secret, "base64url").toString("base64"));
    } catch {
      return { state: "signed-out", secret };
    }
    return { ...(await verify(session)), secret };
  };
  /** -> the id of the ticket's session; otherwise as `enter` */
  const redeem = async (
    request: FastifyRequest,
    ticket: string,
  ): Promise<{ readonly id: string } | "unreachable" | undefined> => {
    const row = identityAdmin.redeemPageTicket;
    const { status, body } = await callServiceAdmin(service, row, {
      body: { ticket, origin: pageAddressOf(hostOf(request)).origin },
      timeoutMs: REDEMPTION_TIMEOUT_MS,
    });
    if (status === 400) return undefined;
    if (status !== 200 || schemaErrors(row.reply.body, body).length > 0) return "unreachable";
    const { session } = body as { readonly session?: string; readonly agent?: SessionAgent };
    return session === undefined ? undefined : { id: session };
  };

  return {
    begin(request, path) {
      const address = pageAddressOf(hostOf(request));
      // Several pages can be opened at once: they share the value of the first page.
      const known = protectedCookieOf(request.headers, address, ENTRY_COOKIE);
      const entry =
        known !== undefined && /^[\w-]{24}$/.test(known) ? known : random(ENTRY_BYTES).toString("base64url");
      return {
        cookie: protectedCookie(address, ENTRY_COOKIE, entry, ENTRY_LIFETIME_SECONDS),
        path: `/~${entry}${path}`,
      };
    },
    pathOf(request, path) {
      const entry = protectedCookieOf(request.headers, pageAddressOf(hostOf(request)), ENTRY_COOKIE);
      const prefix = `/~${entry ?? ""}/`;
      return entry !== undefined && path.startsWith(prefix) ? path.slice(prefix.length - 1) : undefined;
    },
    async sessionOf(request) {
      const host = hostOf(request);
      const secret = protectedCookieOf(request.headers, pageAddressOf(host), COOKIE);
      return secret === undefined ? undefined : verifySealed(ownerOf(host), secret);
    },
    async enter(request, ticket) {
      const host = hostOf(request);
      const redeemed = await redeem(request, ticket);
      if (redeemed === undefined || redeemed === "unreachable") return redeemed;
      const sealed = seal(ownerOf(host), redeemed.id);
      return { cookie: protectedCookie(pageAddressOf(host), COOKIE, sealed, COOKIE_LIFETIME_SECONDS) };
    },
    async enterEmbedded(request, ticket) {
      const redeemed = await redeem(request, ticket);
      if (redeemed === undefined || redeemed === "unreachable") return redeemed;
      return { session: seal(embeddedOwnerOf(hostOf(request)), redeemed.id) };
    },
    async embeddedSessionOf(request) {
      const secret = request.headers[PAGE_SESSION_HEADER];
      return typeof secret === "string" ? verifySealed(embeddedOwnerOf(hostOf(request)), secret) : undefined;
    },
  };
};
