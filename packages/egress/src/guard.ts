import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { HostAddress } from "./address.ts";
import { addressReach } from "./address.ts";
import { EgressFailure } from "./failure.ts";

/** Host overrides: a map, or an object with its `get`. */
export type HostOverrides = Pick<ReadonlyMap<string, { readonly origin: string }>, "get">;
export type Lookup = (host: string) => Promise<readonly HostAddress[]>;

export interface GuardOptions {
  /**
   * Overrides by exact host (lower case, no port): requests go to the origin. For the local service and hosts that an author maps;
   * neither address nor TLS is checked for them, and the origin's scheme decides whether TLS is used.
   */
  readonly hosts?: HostOverrides | (() => HostOverrides);
  /** Allows URLs to this machine, also by plain http, if all their addresses are loopback addresses. Default: false. */
  readonly allowLoopback?: boolean;
  /** Resolves a name to all its addresses. Default: the system's resolver. */
  readonly lookup?: Lookup;
}

/** A checked route: connections go to `addresses` only, or to `origin` if they are absent. */
export interface CheckedRoute {
  readonly origin: string;
  readonly addresses?: readonly HostAddress[];
}

/** A URL that passed the syntactic check; `route` is absent until its name is resolved. */
interface Destination {
  readonly url: URL;
  readonly route?: CheckedRoute;
}

const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
/**
 * A host name as the URL parser normalises it: lower case, punycode. A trailing dot is refused, since a second spelling of a host only
 * helps evasion.
 */
const FQDN = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+${LABEL}$`);

const parse = (text: string): URL => {
  try {
    // `URL.canParse` is not used, since its optimised version in Node 20 is wrong for host names with umlauts.
    return new URL(text);
  } catch {
    throw new EgressFailure(/^\s*https:/i.test(text) ? "MUST_BE_FQDN" : "MUST_BE_HTTPS");
  }
};

const literal = (url: URL): HostAddress | undefined => {
  const address = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  return family === 4 || family === 6 ? { address, family } : undefined;
};

/**
 * Checks a URL by its text, before any network access including DNS.
 * @errors MUST_BE_HTTPS, CREDENTIALS_DISALLOWED, IP_DISALLOWED, MUST_BE_FQDN
 * @assumed A URL that can't be parsed is refused as not FQDN if it starts with https:, else as not HTTPS; any port is allowed; a name with a trailing
 * dot is not an FQDN.
 */
export const checkUrl = (text: string, options: GuardOptions): Destination => {
  const url = parse(text);
  const { protocol, hostname } = url;
  if (protocol !== "https:" && protocol !== "http:") throw new EgressFailure("MUST_BE_HTTPS");
  if (url.username || url.password) throw new EgressFailure("CREDENTIALS_DISALLOWED");
  const hosts = typeof options.hosts === "function" ? options.hosts() : options.hosts;
  const mapped = hosts?.get(hostname);
  if (mapped) return { url, route: { origin: new URL(mapped.origin).origin } };
  if (protocol === "http:" && !options.allowLoopback) throw new EgressFailure("MUST_BE_HTTPS");
  const address = literal(url);
  if (address) return { url, route: checkRoute(url, [address], options) };
  if (!FQDN.test(hostname) && !(options.allowLoopback && hostname === "localhost"))
    throw new EgressFailure("MUST_BE_FQDN");
  return { url };
};

/**
 * Resolves the host name of a URL once and checks all its addresses.
 * @errors IP_DISALLOWED, MUST_BE_HTTPS; errors of the resolver
 */
export const resolveRoute = async (url: URL, options: GuardOptions): Promise<CheckedRoute> => {
  const addresses = await (options.lookup ?? everyAddress)(url.hostname);
  if (addresses.length === 0) throw new Error("The name has no address.");
  return checkRoute(url, addresses, options);
};

/** A single address that isn't public forbids the name, since a connection could use any of them. */
const checkRoute = (url: URL, addresses: readonly HostAddress[], options: GuardOptions): CheckedRoute => {
  const route = { origin: url.origin, addresses };
  const reaches = addresses.map(({ address }) => addressReach(address));
  if (options.allowLoopback && reaches.every((one) => one === "loopback")) return route;
  if (literal(url) || reaches.some((one) => one !== "public")) throw new EgressFailure("IP_DISALLOWED");
  if (url.protocol !== "https:") throw new EgressFailure("MUST_BE_HTTPS");
  return route;
};

const everyAddress: Lookup = async (host) =>
  (await systemLookup(host, { all: true })).map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
