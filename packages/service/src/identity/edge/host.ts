import { BASE_PATH, FORBIDDEN, NOT_FOUND, refuse, routeOf, outbound } from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { CallerAccount } from "../../http/route-handlers.ts";

/**
 * Creates the function from a valid Host header to the origin of addresses in replies: the configured public URL, or else the origin of the
 * request. A request of HTTP/1.0 without the header gives `http://localhost`.
 */
export const createOriginOf = (publicUrl: string | undefined): ((host: string | undefined) => string) => {
  if (publicUrl !== undefined) return () => publicUrl;
  // Cached, since most requests have the same host.
  let last = { host: "", origin: "" };
  return (host = "localhost") => {
    if (host !== last.host) last = { host, origin: `http://${host}` };
    return last.origin;
  };
};

/** Hosts of local accounts are `<account>.parley.localhost`, which browsers and most resolvers resolve to this machine. */
export const LOCAL_DOMAIN = "parley.localhost";

export interface HostRules {
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** The host for outbound messages. */
  readonly outboundHost: string;
}

/** @assumed The host for outbound messages is `outbound.<domain>` unless PARLEY_OUTBOUND_HOST names another. */
export const hostRules = ({
  domain = LOCAL_DOMAIN,
  outboundHost = `outbound.${domain}`,
}: { [K in keyof HostRules]?: HostRules[K] | undefined } = {}): HostRules => ({ domain, outboundHost });

/** A request to a proxy contains the absolute URL in its request line. */
const pathOf = (url: string): string => (url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "") || "/");

const SUITE = /^(\/suite\/([^/?]+)\/v2)(?=[/?]|$)/;

/** Path of a raw report's link. It has no version segment, as clients append it to the bare host. */
const REPORT = "/reports/raw/";

/**
 * Rewrites an address below a suite account's base path, or of a raw report without the version, to the plain address.
 * @assumed A raw report is also served at `/reports/raw/{report_id}`, the address of its link.
 */
export const plainUrl = (url: string): string => {
  const path = pathOf(url);
  if (path.startsWith(REPORT)) return BASE_PATH + path;
  return path.startsWith("/suite/") ? path.replace(SUITE, BASE_PATH) : path;
};

/** -> the requested base path and its account; the plain base path has no account */
export const hostAndPathOf = (url: string): { path: string; account?: string } => {
  const requested = pathOf(url);
  const [, path, account] = (requested.startsWith("/suite/") && SUITE.exec(requested)) || [];
  return path === undefined || account === undefined ? { path: BASE_PATH } : { path, account };
};

/** Removes the port and the trailing dot of a fully qualified name. */
const nameOf = (host: string): string => host.toLowerCase().replace(/\.?(?::\d+)?$/, "");

/** -> the account that a host names; undefined for a host that serves all accounts @shape domain: hosts of accounts are `<account>.<domain>` */
export const accountOfHost = (host: string | undefined, domain: string): string | undefined => {
  const name = nameOf(host ?? "");
  const suffix = `.${domain}`;
  const account = name.endsWith(suffix) ? name.slice(0, -suffix.length) : "";
  return account === "" || account.includes(".") ? undefined : account;
};

const OUTBOUND_PATH = BASE_PATH + routeOf(outbound.listOutboundMessages).path;

/**
 * Creates the check of a request's address. A token is valid on its own account's host and below its own base path. On other hosts
 * (localhost, 127.0.0.1, the host for outbound messages) the token alone identifies the account.
 * @errors the returned function refuses with FORBIDDEN for another account's address, NOT_FOUND for an unknown address
 * @assumed A stand-alone account has no path below /suite, and the host for outbound messages serves nothing else: both are 404.
 */
export function createHostCheck({ domain, outboundHost }: HostRules) {
  const suffix = `.${nameOf(domain)}`;
  const outboundName = nameOf(outboundHost);

  const checkBase = ({ account: accountName, path }: ReturnType<typeof hostAndPathOf>, account: CallerAccount) => {
    if (accountName === undefined) return;
    if (accountName !== account.name)
      refuse(FORBIDDEN, `The access token belongs to another account than the address ${path}.`);
    if (account.configuration.bundle_id === 0)
      refuse(NOT_FOUND, `The account ${accountName} is not built into a suite: its address is ${BASE_PATH}.`);
  };

  // Cached, since most requests have the same host.
  let [header, host] = ["", ""];
  const hostOf = (next = ""): string => {
    if (next !== header) [header, host] = [next, nameOf(next)];
    return host;
  };

  return (
    { headers, originalUrl, url }: Pick<FastifyRequest, "headers" | "originalUrl" | "url">,
    account: CallerAccount,
  ) => {
    checkBase(hostAndPathOf(originalUrl), account);
    const host = hostOf(headers.host);
    if (host === outboundName) {
      if (!url.startsWith(OUTBOUND_PATH))
        refuse(NOT_FOUND, `${outboundName} serves outbound messages only: ask the account's own host for the rest.`);
    } else if (host.endsWith(suffix) && host !== account.name + suffix)
      refuse(FORBIDDEN, `The access token belongs to another account than the address ${host}.`);
  };
}
export type HostCheck = ReturnType<typeof createHostCheck>;
