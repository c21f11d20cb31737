import { urlOf } from "@parley/contract";
import type { HostOverrides } from "@parley/egress";

/** An invalid value of `--map`. The message names the valid values. */
export class HostMapUnusable extends Error {
  override readonly name = "MapUnusable";
}

const HOST = /^(?:\*\.[a-z0-9_-]+|[a-z0-9_-]+\.[a-z0-9_-]+)(?:\.[a-z0-9_-]+)*$/;
const IP_ADDRESS_END = /(?:^|\.)[0-9]+$/;
const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];
const FORMAT_HINT = "write host=http://localhost:port";

const hostIn = (text: string): string => {
  const host = text.trim().toLowerCase();
  if (HOST.test(host) && !IP_ADDRESS_END.test(host)) return host;
  throw new HostMapUnusable(
    `'${text}' can't be mapped: ${FORMAT_HINT}, where host is a whole name such as api.example.com, or *.example.com`,
  );
};

const originIn = (text: string): string => {
  const url = urlOf(text.trim());
  if (url?.protocol !== "http:" || url.pathname !== "/" || url.search || url.hash || url.username || url.password)
    throw new HostMapUnusable(`'${text}' is not an address that a host can be mapped to: ${FORMAT_HINT}`);
  if (!LOCAL_HOSTS.includes(url.hostname))
    throw new HostMapUnusable(`A host may be mapped to this machine only, not to ${url.hostname}: ${FORMAT_HINT}`);
  return url.origin;
};

/** Parses `api.example.com=http://localhost:4000`. @errors HostMapUnusable */
export const parseHostMap = (text: string): readonly [host: string, origin: string] => {
  const at = text.indexOf("=");
  if (at < 0) throw new HostMapUnusable(`'${text}' is not a host map: ${FORMAT_HINT}`);
  return [hostIn(text.slice(0, at)), originIn(text.slice(at + 1))];
};

/** Wildcards that match the host, most specific first. */
const wildcardsOf = (host: string): string[] =>
  host
    .split(".")
    .slice(1)
    .map((_, at, labels) => `*.${labels.slice(at).join(".")}`);

/** Hosts, or wildcards, that the operator's own service answers, on whatever machine it runs. */
interface ServiceHosts {
  readonly hosts: readonly string[];
  readonly origin: string;
}

/**
 * Resolves hosts to local origins and to the service. Precedence: exact maps, local accounts, wildcard maps; a map replaces the service's host.
 * @errors HostMapUnusable
 * @assumed A map applies whatever the port in the URL.
 */
export const hostRoutes = (
  hosts: HostOverrides,
  maps: ReadonlyMap<string, string> = new Map(),
  service?: ServiceHosts,
): HostOverrides => {
  const mapped = new Map([
    ...(service?.hosts.map((host) => [hostIn(host), { origin: service.origin }] as const) ?? []),
    ...[...maps].map(([host, origin]) => [hostIn(host), { origin: originIn(origin) }] as const),
  ]);
  return {
    get: (host) =>
      mapped.get(host) ??
      hosts.get(host) ??
      wildcardsOf(host)
        .map((suffix) => mapped.get(suffix))
        .find((route) => route !== undefined),
  };
};
