import { isIP } from "node:net";
import { DatabaseUnavailable } from "./errors/failure.ts";

interface UrlHost {
  /** Host name, IP address, or folder of a Unix socket; undefined: the driver's default. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** Address to connect to in place of `host`; certificates are still verified against `host`. */
  readonly address: string | undefined;
}

/** A decoded connection URL. */
interface ConnectionUrl {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  /** Hosts in the order in which they are tried; at least one. */
  readonly hosts: readonly UrlHost[];
  /** The other query parameters. */
  readonly parameters: ReadonlyMap<UrlParameter, string>;
}

/** Query parameters with their meaning in libpq; `statement_timeout` and `lock_timeout` in milliseconds. */
const URL_PARAMETERS = [
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

/** Query parameters that override other parts of the URL. */
const PARTS = ["dbname", "host", "hostaddr", "password", "port", "user"] as const;
type Part = (typeof PARTS)[number];

const FORM = "postgres://user:password@host:5432/database";
const ENCODING =
  "Characters of the user and password such as @ / : ? # and % must be percent-encoded (%40 %2F %3A %3F %23 %25)";

/** The message quotes nothing of the URL, since any part of it may belong to the password. */
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
  if (port < 1 || port > 65_535) throw unusable("its port is not a number from 1 to 65535");
  return port;
};

/** Validates a folder of a Unix socket, an IP address, or a host name. */
const hostOf = (text: string): string | undefined => {
  const host = decoded(text);
  if (host === "" || host.startsWith("/") || isIP(host) !== 0 || /^[\p{L}\p{N}._-]+$/u.test(host)) return some(host);
  throw unusable("its host is neither the name of a machine nor an IP address nor a folder");
};

/** Splits `host:port`; an IPv6 address is in brackets. */
const splitHost = (text: string): readonly [host: string, port: string] => {
  const match = /^\[([^\]]*)\](?::(.*))?$/s.exec(text) ?? /^([^:]*)(?::(.*))?$/s.exec(text);
  if (!match) throw unusable("its host is neither the name of a machine nor an IP address nor a folder");
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
        `the part after its question mark is not a list of known parameters (see number ${index + 1})`,
        `Known are ${[...PARTS, ...URL_PARAMETERS].sort().join(", ")}. ${ENCODING}.`,
      );
    if (part) parts.set(part, value);
    else if (parameter) parameters.set(parameter, decoded(value));
  }
  return { parts, parameters };
};

/** Hosts, ports and addresses are lists of the same length; a single port applies to all hosts. */
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
 * Parses a connection URL as libpq does, including several hosts. Characters of a password only need to be percent-encoded if the URL
 * is ambiguous otherwise.
 * @errors DatabaseUnavailable, whose message contains nothing of the URL
 */
export function readConnectionUrl(url: string): ConnectionUrl {
  const rest = /^postgres(?:ql)?:\/\/(.*)$/s.exec(url)?.[1];
  if (rest === undefined)
    throw unusable(
      "it is not an address of PostgreSQL",
      `Write it as ${FORM}, or leave it out to use the embedded server.`,
    );
  const [, authority = "", path = "", query = ""] = /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(rest) ?? [];
  // An unencoded / or ? in the password splits the authority.
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
