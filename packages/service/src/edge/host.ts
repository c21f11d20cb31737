import { BASE_PATH, FORBIDDEN, NOT_FOUND, refuse, routeOf, outbound } from "@parley/contract";
import type { FastifyRequest } from "fastify";
import type { CallerAccount } from "../http/route-handlers.ts";

/** A Host header that can stand in an address as it is: a name, an IPv4 or an IPv6 address, with or without a port. */
const HOST = /^(?:[\w.-]{1,255}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Makes the way from a Host header to the beginning of the addresses that replies hold: the public address where one is set, else
 * the one that the request came to.
 * @assumed A Host that can't stand in an address gives `http://localhost`.
 */
export const createOriginOf = (publicUrl: string | undefined): ((host: string | undefined) => string) => {
  if (publicUrl !== undefined) return () => publicUrl;
  // Nearly every request comes to the same host.
  let last = { host: "", origin: "http://localhost" };
  return (host = "") => {
    if (host !== last.host) last = { host, origin: `http://${HOST.test(host) ? host : "localhost"}` };
    return last.origin;
  };
};

/** Hosts of local accounts are `<account>.parley.localhost`: browsers and most resolvers lead them to this machine. */
export const LOCAL_DOMAIN = "parley.localhost";

interface HostRules {
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

/** A proxy's form of the request line holds the whole address. */
const pathOf = (url: string): string => (url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "") || "/");

const SUITE = /^(\/suite\/([^/?]+)\/v2)(?=[/?]|$)/;

/** Where the link of a raw report leads: no version segment, as clients join it to the bare host. */
const REPORT = "/reports/raw/";

/**
 * An address below a suite account's base path is the plain one, asked for by another name, as is a raw report's without the version.
 * @assumed A raw report is answered at `/reports/raw/{report_id}` too, where the link to it leads.
 */
export const plainUrl = (url: string): string => {
  const path = pathOf(url);
  if (path.startsWith(REPORT)) return BASE_PATH + path;
  return path.startsWith("/suite/") ? path.replace(SUITE, BASE_PATH) : path;
};

/** -> the base path that was asked for, and the account it names; the plain one names none. */
export const hostAndPathOf = (url: string): { path: string; account?: string } => {
  const asked = pathOf(url);
  const [, path, account] = (asked.startsWith("/suite/") && SUITE.exec(asked)) || [];
  return path === undefined || account === undefined ? { path: BASE_PATH } : { path, account };
};

/** Without its port, and without the dot that ends a full name. */
const nameOf = (host: string): string => host.toLowerCase().replace(/\.?(?::\d+)?$/, "");

const OUTBOUND_PATH = BASE_PATH + routeOf(outbound.listOutboundMessages).path;

/**
 * Makes the check of an address: a token is good on its own account's host and below its own base path; elsewhere (localhost, 127.0.0.1, the
 * host for outbound messages) it alone names the account.
 * @errors the returned function refuses with FORBIDDEN for another account's address, NOT_FOUND for one that there is not
 * @assumed A stand-alone account has no path below /suite, and the host for outbound messages serves nothing else: both are 404.
 */
export function createHostCheck({ domain, outboundHost }: HostRules) {
  const suffix = `.${nameOf(domain)}`;
  const outboundName = nameOf(outboundHost);

  const checkBase = ({ account: named, path }: ReturnType<typeof hostAndPathOf>, account: CallerAccount) => {
    if (named === undefined) return;
    if (named !== account.name)
      refuse(FORBIDDEN, `The access token belongs to another account than the address ${path}.`);
    if (account.configuration.bundle_id === 0)
      refuse(NOT_FOUND, `The account ${named} is not built into a suite: its address is ${BASE_PATH}.`);
  };

  // The same host comes again and again: its name is found once.
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
