import {
  createPageAddressOf,
  identityAdmin,
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
export type VerifiedPageSession = VerifiedCookie & { readonly secret: string };

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
}

interface PageSessionsDeps {
  readonly random: (count: number) => Buffer;
  readonly vault: Pick<Vault, "seal" | "open">;
  readonly service: ServiceAdmin;
  /** Verifies ids of sessions. */
  readonly verify: VerifySession;
}

const ownerOf = (host: string): string => `page-session/${host}`;

export const createPageSessions = ({ vault, service, verify, random }: PageSessionsDeps): PageSessions => ({
  begin(request, path) {
    const address = pageAddressOf(hostOf(request));
    // Several pages can be opened at once: they share the value of the first one.
    const known = protectedCookieOf(request.headers, address, ENTRY_COOKIE);
    const entry = known !== undefined && /^[\w-]{24}$/.test(known) ? known : random(ENTRY_BYTES).toString("base64url");
    return { cookie: protectedCookie(address, ENTRY_COOKIE, entry, ENTRY_LIFETIME_SECONDS), path: `/~${entry}${path}` };
  },
  pathOf(request, path) {
    const entry = protectedCookieOf(request.headers, pageAddressOf(hostOf(request)), ENTRY_COOKIE);
    const prefix = `/~${entry ?? ""}/`;
    return entry !== undefined && path.startsWith(prefix) ? path.slice(prefix.length - 1) : undefined;
  },
  async sessionOf(request) {
    const host = hostOf(request);
    const secret = protectedCookieOf(request.headers, pageAddressOf(host), COOKIE);
    if (secret === undefined) return undefined;
    let session: string;
    try {
      session = vault.open(ownerOf(host), Buffer.from(secret, "base64url").toString("base64"));
    } catch {
      return { state: "signed-out", secret };
    }
    return { ...(await verify(session)), secret };
  },
  async enter(request, ticket) {
    const host = hostOf(request);
    const address = pageAddressOf(host);
    const row = identityAdmin.redeemPageTicket;
    const { status, body } = await callServiceAdmin(service, row, {
      body: { ticket, origin: address.origin },
      timeoutMs: REDEMPTION_TIMEOUT_MS,
    });
    if (status === 400) return undefined;
    if (status !== 200 || schemaErrors(row.reply.body, body).length > 0) return "unreachable";
    const { session } = body as { readonly session?: string; readonly agent?: SessionAgent };
    if (session === undefined) return undefined;
    const sealed = Buffer.from(vault.seal(ownerOf(host), session), "base64").toString("base64url");
    return { cookie: protectedCookie(address, COOKIE, sealed, COOKIE_LIFETIME_SECONDS) };
  },
});
