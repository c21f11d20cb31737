import type { FastifyRequest } from "fastify";

/** What the page's own requests carry, and nobody else's. */
export interface Tokens {
  issue(): string;
  isIssued(token: unknown): boolean;
}

/** Old ones are forgotten: a page that is so old is asked to load again. */
const MOST = 500;

export const tokens = (newToken: () => string): Tokens => {
  const issued = new Set<string>();
  return {
    issue() {
      const token = newToken();
      issued.add(token);
      for (const oldest of issued) {
        if (issued.size <= MOST) break;
        issued.delete(oldest);
      }
      return token;
    },
    isIssued: (token) => typeof token === "string" && issued.has(token),
  };
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
