import { createPageAddressOf, isLocalHost } from "@parley/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { PageSession } from "../identity/page-session.ts";

/**
 * Content security policy of a page: requests to its own host, and frames of it.
 * @shape frames: origin of the app's frames, and the address below it that the page embeds; absent: it embeds nothing of another origin
 */
export const pagePolicy = (frames?: { readonly origin: string; readonly folder: string }): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self'${frames ? ` ${frames.origin}` : ""}`,
    "img-src 'self' data:",
    `frame-src 'self'${frames ? ` ${frames.origin}${frames.folder}` : ""}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");

const sealed = (script: string) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;

/** Only our script runs, and what it evaluates; nothing can be fetched. The sandbox takes the origin away. */
export const sandboxedFramePolicy = (script: string) =>
  [
    "default-src 'none'",
    `script-src ${sealed(script)} 'unsafe-eval'`,
    "frame-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts",
  ].join("; ");

/** Text inside a script element, where only these two would be read as markup. */
export const inScript = (code: string) => code.replace(/<(?=\/script|!--)/gi, "\\x3C");

export const PAGE_HEADERS = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
};

/**
 * Token that only the page can send with its requests, because only a page of the same origin can read it. Where pages need a session, a
 * token is valid for the session that it was issued to.
 */
interface PageTokens {
  issue(session: PageSession | undefined): string;
  isIssued(token: unknown, session: PageSession | undefined): boolean;
}

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/**
 * One token of each session, so that no number of other page loads makes an open page's token stale.
 * @shape secret: the present secret of the pages; a part before `~` is the beginning of each issued token
 */
export const createPageTokens = (secret: () => string): PageTokens => {
  const tokenOf = (session: PageSession | undefined): string => {
    const present = secret();
    const prefix = present.slice(0, present.indexOf("~") + 1);
    return session ? prefix + createHmac("sha256", present).update(session.secret).digest("base64url") : present;
  };
  return {
    issue: tokenOf,
    isIssued: (candidate, session) =>
      typeof candidate === "string" && timingSafeEqual(digestOf(candidate), digestOf(tokenOf(session))),
  };
};

const hostnameOf = (host: string): string => host.replace(/:\d+$/, "").toLowerCase();

/** Names that can't lead here by way of somebody else's DNS. A trailing dot would make another origin of each name. */
const isLocal = (hostname: string): boolean => !hostname.endsWith(".") && isLocalHost(hostname);

/** Whether the request came to us by a name of ours: another name would make a stranger's page one of our origin. */
export const isOurHost = ({ headers }: FastifyRequest, hostnames: readonly string[]): boolean => {
  const hostname = hostnameOf(headers.host ?? "");
  return isLocal(hostname) || hostnames.includes(hostname);
};

const pageAddressOf = createPageAddressOf(undefined);

/** Whether the browser marks the request as one of a page of the same origin: the same scheme, host name and port. */
export const isSameOrigin = ({ headers }: FastifyRequest): boolean => {
  const { origin, host = "" } = headers;
  const site = headers["sec-fetch-site"];
  return (
    (origin === undefined || origin === pageAddressOf(host).origin) && (site === undefined || site === "same-origin")
  );
};

const SAFE_METHODS = ["GET", "HEAD"];

interface PageGuardOptions {
  readonly issued: PageTokens;
  /** Name of the page whose requests are admitted: "installation page". */
  readonly page: string;
  /** Route that gives a page of ours the token of this run. */
  readonly tokenRoute?: string;
}

/** Answers a request of a page of the host that is refused: such pages show the message. */
export const sendRefusal = (reply: FastifyReply, code: number, message: string) => reply.code(code).send({ message });

/**
 * Refuses requests that no page of ours sends: a request that changes something from elsewhere, or without the token that the page was made with.
 * Where pages need a session, such a request must have the Origin header, as browsers send it.
 */
export const pageGuard =
  ({ issued, page, tokenRoute }: PageGuardOptions) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    const isToken = tokenRoute !== undefined && request.routeOptions.url === tokenRoute;
    const isSafe = SAFE_METHODS.includes(request.method);
    if (isSafe && !isToken) return undefined;
    const { pageSession, headers } = request;
    if (!isSameOrigin(request) || (pageSession !== undefined && !isSafe && headers.origin === undefined))
      return sendRefusal(reply, 403, `Only the ${page} may ask this.`);
    if (isToken || issued.isIssued(headers["x-page-token"], pageSession)) return undefined;
    return sendRefusal(reply, 403, "This page is out of date. Reload it and try again.");
  };
