import type pg from "pg";
import { readConnectionUrl, type UrlParameter } from "./connection-url.ts";
import { DatabaseUnavailable } from "./errors/failure.ts";
import { tlsChoices, type TlsChoice } from "./tls.ts";

/** What a session has to be for a server to be chosen, as PostgreSQL's own clients take it. */
export const SESSION_ROLES = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"] as const;
export type SessionRole = (typeof SESSION_ROLES)[number];

/** One server, and the ways in which it may be connected to. */
export interface Host {
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** In the order in which they are tried. */
  readonly tls: readonly TlsChoice[];
  /** How messages name it. */
  readonly name: string;
}

/** Where one database is reached. */
export interface DatabaseAddress {
  readonly config: pg.ClientConfig;
  /** In the order in which they are tried; at least one. */
  readonly hosts: readonly Host[];
  readonly role: SessionRole;
  /** Whether the authentication is bound to the TLS connection, so that nobody in between can pass it on. */
  readonly channelBinding: ChannelBinding;
  /** Nothing stands between here and the server that could lose the options of a session's start. */
  readonly isDirect: boolean;
  /** Startup option that the address itself asks for. */
  readonly options: string | undefined;
  /** Settings of each session that the address itself asks for, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** How messages name it: never with a password. */
  readonly place: string;
}

/** The address of a database behind a socket in `folder`. */
export const socketAddress = (
  folder: string,
  {
    user,
    password,
    database = "postgres",
  }: { readonly user: string; readonly password: string; readonly database?: string },
): DatabaseAddress => ({
  // What is not said here, the driver takes from PG… variables that are meant for others.
  config: { user, password, database, client_encoding: "UTF8" },
  hosts: [{ host: folder, port: 5432, tls: [false], name: folder }],
  role: "any",
  channelBinding: "disable",
  isDirect: true,
  options: undefined,
  settings: {},
  place: folder,
});

/** Parameters of the address that are settings of each session. */
const SESSION_SETTINGS = ["lock_timeout", "statement_timeout"] as const satisfies readonly UrlParameter[];

const nameOf = (host: string | undefined, port: number | undefined): string =>
  host?.startsWith("/") ? host : `${host?.includes(":") ? `[${host}]` : (host ?? "localhost")}:${port ?? 5432}`;

export const CHANNEL_BINDINGS = ["disable", "prefer", "require"] as const;
export type ChannelBinding = (typeof CHANNEL_BINDINGS)[number];

/** Parameters that providers put into their URLs, with the values that are possible here. */
const SUPPORTED_VALUES: Readonly<Partial<Record<UrlParameter, readonly string[]>>> = {
  channel_binding: CHANNEL_BINDINGS,
  // Connections are never encrypted by GSSAPI, which is what "prefer" falls back to.
  gssencmode: ["disable", "prefer"],
  sslnegotiation: ["postgres"],
};

/** @errors DatabaseUnavailable for a value that is unknown or not supported */
function checkValues(parameters: ReadonlyMap<UrlParameter, string>): void {
  for (const [name, values = []] of Object.entries(SUPPORTED_VALUES)) {
    const value = parameters.get(name as UrlParameter);
    if (value !== undefined && !values.includes(value))
      throw new DatabaseUnavailable(
        `DATABASE_URL can't be used: its ${name} is not supported. Choose ${values.join(" or ")}, or leave it out.`,
      );
  }
}

/** Reads a connection URL. @errors DatabaseUnavailable */
export function urlAddress(url: string): DatabaseAddress {
  const { user, password, database, hosts, parameters } = readConnectionUrl(url);
  checkValues(parameters);
  const channelBinding = (parameters.get("channel_binding") ?? "disable") as ChannelBinding;
  const asked = parameters.get("target_session_attrs") ?? "any";
  const role = SESSION_ROLES.find((each) => each === asked);
  if (!role)
    throw new DatabaseUnavailable(
      `DATABASE_URL can't be used: its target_session_attrs is unknown. Choose one of ${SESSION_ROLES.join(", ")}.`,
    );
  const seconds = Number(parameters.get("connect_timeout") ?? NaN);
  const application = parameters.get("application_name") ?? parameters.get("fallback_application_name");
  const config: pg.ClientConfig = {
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    ...(application !== undefined && { application_name: application }),
    // As PostgreSQL's own clients: less than two seconds is no time.
    ...(seconds > 0 && { connectionTimeoutMillis: Math.max(seconds, 2) * 1_000 }),
    keepAlive: parameters.get("keepalives") !== "0",
    enableChannelBinding: channelBinding !== "disable",
  };
  const servers = hosts.map(({ host, port, address }) => ({
    host: address ?? host,
    port,
    tls: tlsChoices(parameters, host ?? address),
    name: nameOf(host ?? address, port),
  }));
  const settings = Object.fromEntries(
    SESSION_SETTINGS.flatMap((name) => (parameters.has(name) ? [[name, parameters.get(name) ?? ""]] : [])),
  );
  const place = servers.map(({ name }) => name).join(", ");
  return {
    config,
    hosts: servers,
    role,
    channelBinding,
    isDirect: false,
    options: parameters.get("options"),
    settings,
    place,
  };
}
