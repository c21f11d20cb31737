import type { FastifyRequest } from "fastify";

/** What the page's own requests carry, and nobody else's: only a page of our origin can read it. */
export interface Tokens {
  issue(): string;
  isIssued(token: unknown): boolean;
}

/** One token for as long as the host runs, so that no number of other page loads makes an open page's token stale. */
export const tokens = (newToken: () => string): Tokens => {
  const token = newToken();
  return { issue: () => token, isIssued: (given) => given === token };
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

/** Whether the browser says that a page of this very origin asks. */
export const isSameOrigin = ({ headers }: FastifyRequest): boolean => {
  const { origin, host = "" } = headers;
  const site = headers["sec-fetch-site"];
  const fits = origin === undefined || origin === `http://${host}` || origin === `https://${host}`;
  return fits && (site === undefined || site === "same-origin");
};
