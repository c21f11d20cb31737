import { isIP } from "node:net";
import { DatabaseUnavailable } from "./errors/failure.ts";

/** One server of a connection URL. */
export interface UrlHost {
  /** A name, an IP address, or the folder of a Unix socket; undefined: the driver's default. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** Connected to in place of the host's own address, which certificates are still checked against. */
  readonly address: string | undefined;
}

/** What a connection URL says, decoded. */
export interface ConnectionUrl {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** In the order in which they are tried; at least one. */
  readonly hosts: readonly UrlHost[];
  /** The other parameters, each a known one. */
  readonly parameters: ReadonlyMap<UrlParameter, string>;
}

/** Parameters with the meaning that they have for PostgreSQL's own clients; `statement_timeout` and `lock_timeout` in milliseconds. */
export const URL_PARAMETERS = [
  "application_name",
  "channel_binding",
  "connect_timeout",
  "fallback_application_name",
  "gssencmode",
  "keepalives",
  "lock_timeout",
  "options",
  "ssl",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslnegotiation",
  "sslpassword",
  "sslrootcert",
  "statement_timeout",
  "target_session_attrs",
] as const;
export type UrlParameter = (typeof URL_PARAMETERS)[number];

/** Those that stand for the parts before the question mark too. */
const PARTS = ["dbname", "host", "hostaddr", "password", "port", "user"] as const;
type Part = (typeof PARTS)[number];

const FORM = "postgres://user:password@host:5432/database";
const ENCODING =
  "Characters of the user and password such as @ / : ? # and % must be percent-encoded (%40 %2F %3A %3F %23 %25)";

/** Says nothing of the URL's own text: any piece of it may be one of the password. */
const unusable = (reason: string, next = `${ENCODING}. The form is ${FORM}.`): DatabaseUnavailable =>
  new DatabaseUnavailable(`DATABASE_URL can't be used: ${reason}. ${next}`);

const decoded = (text: string): string => {
  try {
    const plain = decodeURIComponent(text);
    if (plain.includes("\0")) throw new URIError();
    return plain;
  } catch {
    throw unusable("it holds a % that begins no percent-encoded character");
  }
};

const some = (text: string): string | undefined => (text === "" ? undefined : text);

const portOf = (text: string): number | undefined => {
  if (text === "") return undefined;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw unusable("its port is no number from 1 to 65535");
  return port;
};

/** A folder for a Unix socket, an IP address, or the name of a machine. */
const hostOf = (text: string): string | undefined => {
  const host = decoded(text);
  if (host === "" || host.startsWith("/") || isIP(host) !== 0 || /^[\p{L}\p{N}._-]+$/u.test(host)) return some(host);
  throw unusable("its host is no name of a machine, no IP address and no folder");
};

/** `host:port`, with an IPv6 address in brackets. */
const splitHost = (text: string): readonly [host: string, port: string] => {
  const match = /^\[([^\]]*)\](?::(.*))?$/s.exec(text) ?? /^([^:]*)(?::(.*))?$/s.exec(text);
  if (!match) throw unusable("its host is no name of a machine, no IP address and no folder");
  return [match[1] ?? "", match[2] ?? ""];
};

const readParameters = (query: string) => {
  const parts = new Map<Part, string>();
  const parameters = new Map<UrlParameter, string>();
  for (const [index, piece] of query.split("&").filter(Boolean).entries()) {
    const [key = "", value] = piece.split(/=(.*)/s, 2);
    const part = PARTS.find((each) => each === key);
    const parameter = URL_PARAMETERS.find((each) => each === key);
    if (value === undefined || (!part && !parameter))
      throw unusable(
        `what follows its question mark is no list of known parameters (see number ${index + 1})`,
        `Known are ${[...PARTS, ...URL_PARAMETERS].sort().join(", ")}. ${ENCODING}.`,
      );
    if (part) parts.set(part, value);
    else if (parameter) parameters.set(parameter, decoded(value));
  }
  return { parts, parameters };
};

/** Hosts, ports and addresses are lists of one length; a single port is that of all hosts. */
const readHosts = (hostList: string, parts: ReadonlyMap<Part, string>): UrlHost[] => {
  const listed = hostList.split(",").map(splitHost);
  const names = parts.get("host")?.split(",") ?? listed.map(([host]) => host);
  const ports = parts.get("port")?.split(",") ?? listed.map(([, port]) => port);
  const addresses = parts.get("hostaddr")?.split(",") ?? [];
  const count = Math.max(names.length, addresses.length);
  if ((ports.length !== count && ports.length !== 1) || (addresses.length !== 0 && addresses.length !== count))
    throw unusable(
      "its lists of hosts and ports have different lengths",
      "Name one port for all hosts, or one for each.",
    );
  return Array.from({ length: count }, (_, index) => ({
    host: hostOf(names[index] ?? ""),
    port: portOf(decoded(ports.length === 1 ? (ports[0] ?? "") : (ports[index] ?? ""))),
    address: addresses[index] === undefined ? undefined : hostOf(addresses[index]),
  }));
};

/**
 * Reads a connection URL as PostgreSQL's own clients do, several hosts included. Of the password no more must be percent-encoded than
 * makes the URL ambiguous.
 * @errors DatabaseUnavailable, whose message holds nothing of the URL
 */
export function readConnectionUrl(url: string): ConnectionUrl {
  const rest = /^postgres(?:ql)?:\/\/(.*)$/s.exec(url)?.[1];
  if (rest === undefined)
    throw unusable(
      "it is not an address of PostgreSQL",
      `Write it as ${FORM}, or leave it out to use the embedded server.`,
    );
  const [, authority = "", path = "", query = ""] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest) ?? [];
  // What an unencoded / or ? of a password has torn apart.
  if (path.includes("@"))
    throw unusable("an @ follows the first / of it, so that user, password and host can't be told apart");
  const at = authority.lastIndexOf("@");
  const [user = "", password] = authority.slice(0, Math.max(at, 0)).split(/:(.*)/s, 2);
  const { parts, parameters } = readParameters(query);
  const partOf = (name: Part, text: string | undefined): string | undefined =>
    some(decoded(parts.get(name) ?? text ?? ""));
  return {
    user: partOf("user", user),
    password: partOf("password", password),
    database: partOf("dbname", path),
    hosts: readHosts(authority.slice(at + 1), parts),
    parameters,
  };
}
