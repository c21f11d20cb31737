import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import type { HostAddress } from "./address.ts";
import { addressReach } from "./address.ts";
import { EgressFailure } from "./failure.ts";

/** Where a host really is; a map, or whatever is asked as one is. */
export type Hosts = Pick<ReadonlyMap<string, { readonly origin: string }>, "get">;
export type Lookup = (host: string) => Promise<readonly HostAddress[]>;

export interface GuardOptions {
  /**
   * Exact host (lower case, no port) → where it really is: the declared exception of the guard, for the local service and
   * what an author maps by hand. Nothing is vetted there, and the origin's own scheme says whether TLS is spoken.
   */
  readonly hosts?: Hosts | (() => Hosts);
  /** Lets a URL lead to this machine, in plain http too, when each of its addresses is a loopback one. Default: false. */
  readonly allowLoopback?: boolean;
  /** Resolves a name to all its addresses. Default: the system's resolver. */
  readonly lookup?: Lookup;
}

/** A way out that has been allowed: the connection goes to `addresses` only, or wherever `origin` says when they are absent. */
export interface Way {
  readonly origin: string;
  readonly addresses?: readonly HostAddress[];
}

/** A URL that its text alone does not forbid; `way` is absent while its name has still to be resolved. */
export interface Destination {
  readonly url: URL;
  readonly way?: Way;
}

const LABEL = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
/** As the URL parser leaves a name: lower case, punycode. A last dot does not fit: a second spelling of a host has no use but evasion. */
const FQDN = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)+${LABEL}$`);

const parse = (text: string): URL => {
  try {
    // URL.canParse of Node 20 says no to names with umlauts once it is hot.
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
 * Judges a URL by its text, before anything leaves, the question to the resolver included.
 * @errors MUST_BE_HTTPS, CREDENTIALS_DISALLOWED, IP_DISALLOWED, MUST_BE_FQDN
 * @assumed A URL that can't be parsed is refused as not HTTPS, or else as not FQDN; any port may be named; a name with a last dot is no FQDN.
 */
export const destination = (text: string, options: GuardOptions): Destination => {
  const url = parse(text);
  const { protocol, hostname } = url;
  if (protocol !== "https:" && protocol !== "http:") throw new EgressFailure("MUST_BE_HTTPS");
  if (url.username || url.password) throw new EgressFailure("CREDENTIALS_DISALLOWED");
  const hosts = typeof options.hosts === "function" ? options.hosts() : options.hosts;
  const mapped = hosts?.get(hostname);
  if (mapped) return { url, way: { origin: new URL(mapped.origin).origin } };
  if (protocol === "http:" && !options.allowLoopback) throw new EgressFailure("MUST_BE_HTTPS");
  const address = literal(url);
  if (address) return { url, way: vetted(url, [address], options) };
  if (!FQDN.test(hostname) && !(options.allowLoopback && hostname === "localhost"))
    throw new EgressFailure("MUST_BE_FQDN");
  return { url };
};

/**
 * Resolves a destination's name, once, and vets every address it has.
 * @errors IP_DISALLOWED, MUST_BE_HTTPS; whatever the resolver throws
 */
export const resolve = async (url: URL, options: GuardOptions): Promise<Way> => {
  const addresses = await (options.lookup ?? everyAddress)(url.hostname);
  if (addresses.length === 0) throw new Error("The name has no address.");
  return vetted(url, addresses, options);
};

/** One address that isn't public forbids the name: which of them a connection would take is not ours to guess. */
const vetted = (url: URL, addresses: readonly HostAddress[], options: GuardOptions): Way => {
  const way = { origin: url.origin, addresses };
  const reaches = addresses.map(({ address }) => addressReach(address));
  if (options.allowLoopback && reaches.every((one) => one === "loopback")) return way;
  if (literal(url) || reaches.some((one) => one !== "public")) throw new EgressFailure("IP_DISALLOWED");
  if (url.protocol !== "https:") throw new EgressFailure("MUST_BE_HTTPS");
  return way;
};

const everyAddress: Lookup = async (host) =>
  (await systemLookup(host, { all: true })).map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
