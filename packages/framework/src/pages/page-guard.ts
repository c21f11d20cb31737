import type { FastifyReply, FastifyRequest } from "fastify";
import { createHash } from "node:crypto";

/** Content security policy of the page: requests to its own host, and the frame of the callbacks. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-src 'self'",
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

/** Token that only the page can send with its requests, because only a page of the same origin can read it. */
interface PageTokens {
  issue(): string;
  isIssued(token: unknown): boolean;
}

/** One token for as long as the host runs, so that no number of other page loads makes an open page's token stale. */
export const createPageTokens = (newToken: () => string): PageTokens => {
  const token = newToken();
  return { issue: () => token, isIssued: (candidate) => candidate === token };
};

const hostnameOf = (host: string): string => host.replace(/:\d+$/, "").toLowerCase();

/** Names that can't lead here by way of somebody else's DNS. */
const isLocal = (hostname: string): boolean =>
  ["localhost", "127.0.0.1", "[::1]"].includes(hostname) || hostname.endsWith(".localhost");

/** Whether the request came to us by a name of ours: another name would make a stranger's page one of our origin. */
export const isOurHost = ({ headers }: FastifyRequest, hostnames: readonly string[]): boolean => {
  const hostname = hostnameOf(headers.host ?? "");
  return isLocal(hostname) || hostnames.includes(hostname);
};

/** Whether the browser marks the request as one of a page of the same origin. */
export const isSameOrigin = ({ headers }: FastifyRequest): boolean => {
  const { origin, host = "" } = headers;
  const site = headers["sec-fetch-site"];
  const fits = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
  return fits && (site === undefined || site === "same-origin");
};

interface PageGuardOptions {
  readonly issued: PageTokens;
  /** Whose requests are let in, in words: "installation page". */
  readonly page: string;
  /** Route that gives a page of ours the token of this run. */
  readonly tokenRoute?: string;
}

/** Refuses what no page of ours asks: a POST from elsewhere, or without the token that the page was made with. */
export const pageGuard =
  ({ issued, page, tokenRoute }: PageGuardOptions) =>
  (request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined => {
    const isToken = tokenRoute !== undefined && request.routeOptions.url === tokenRoute;
    if (request.method !== "POST" && !isToken) return undefined;
    const refuse = (message: string) => reply.code(403).send({ message });
    if (!isSameOrigin(request)) return refuse(`Only the ${page} may ask this.`);
    if (isToken || issued.isIssued(request.headers["x-page-token"])) return undefined;
    return refuse("This page is out of date. Reload it and try again.");
  };
