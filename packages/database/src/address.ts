import type pg from "pg";
import { readConnectionUrl, type UrlParameter } from "./connection-url.ts";
import { DatabaseUnavailable } from "./errors/failure.ts";
import { tlsChoices, type TlsChoice } from "./tls.ts";

/** Values of `target_session_attrs`, with the meaning that they have in libpq. */
const SESSION_ROLES = ["any", "read-write", "read-only", "primary", "standby", "prefer-standby"] as const;
export type SessionRole = (typeof SESSION_ROLES)[number];

/** A server of a connection URL, with its connection options. */
export interface Host {
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** TLS options in the order in which they are tried. */
  readonly tls: readonly TlsChoice[];
  /** Display name for messages. */
  readonly name: string;
}

/** Connection parameters of one database. */
export interface DatabaseAddress {
  readonly config: pg.ClientConfig;
  /** Hosts in the order in which they are tried; at least one. */
  readonly hosts: readonly Host[];
  readonly role: SessionRole;
  /** SCRAM channel binding: binds the authentication to the TLS connection, which prevents relaying it. */
  readonly channelBinding: ChannelBinding;
  /** True if no pooler can be between client and server, so that startup options are never dropped. */
  readonly isDirect: boolean;
  /** Startup option `options` of the connection URL. */
  readonly options: string | undefined;
  /** Session settings of the connection URL, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Display name for messages; never contains a password. */
  readonly displayName: string;
}

/** Address of a database behind a Unix socket in `folder`. */
export const socketAddress = (
  folder: string,
  {
    user,
    password,
    database = "postgres",
  }: { readonly user: string; readonly password: string; readonly database?: string },
): DatabaseAddress => ({
  // The driver takes values that are absent from PG… variables, which may be meant for other programs.
  config: { user, password, database, client_encoding: "UTF8" },
  hosts: [{ host: folder, port: 5432, tls: [false], name: folder }],
  role: "any",
  channelBinding: "disable",
  isDirect: true,
  options: undefined,
  settings: {},
  displayName: folder,
});

/** URL parameters that are applied as session settings. */
const SESSION_SETTINGS = ["lock_timeout", "statement_timeout"] as const satisfies readonly UrlParameter[];

const nameOf = (host: string | undefined, port: number | undefined): string =>
  host?.startsWith("/") ? host : `${host?.includes(":") ? `[${host}]` : (host ?? "localhost")}:${port ?? 5432}`;

const CHANNEL_BINDINGS = ["disable", "prefer", "require"] as const;
export type ChannelBinding = (typeof CHANNEL_BINDINGS)[number];

/** Parameters in the URLs of hosting providers, with the supported values. */
const SUPPORTED_VALUES: Readonly<Partial<Record<UrlParameter, readonly string[]>>> = {
  channel_binding: CHANNEL_BINDINGS,
  // GSSAPI encryption is not supported; `prefer` allows connections without it.
  gssencmode: ["disable", "prefer"],
  sslnegotiation: ["postgres"],
};

/** @errors DatabaseUnavailable for an unknown or unsupported value */
function checkValues(parameters: ReadonlyMap<UrlParameter, string>): void {
  for (const [name, values = []] of Object.entries(SUPPORTED_VALUES)) {
    const value = parameters.get(name as UrlParameter);
    if (value !== undefined && !values.includes(value))
      throw new DatabaseUnavailable(
        `DATABASE_URL can't be used: its ${name} is not supported. Choose ${values.join(" or ")}, or leave it out.`,
      );
  }
}

/** Parses a connection URL. @errors DatabaseUnavailable */
export function urlAddress(url: string): DatabaseAddress {
  const { user, password, database, hosts, parameters } = readConnectionUrl(url);
  checkValues(parameters);
  const channelBinding = (parameters.get("channel_binding") ?? "disable") as ChannelBinding;
  const requestedRole = parameters.get("target_session_attrs") ?? "any";
  const role = SESSION_ROLES.find((each) => each === requestedRole);
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
    // libpq raises a connect_timeout of one second to two seconds.
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
  const displayName = servers.map(({ name }) => name).join(", ");
  return {
    config,
    hosts: servers,
    role,
    channelBinding,
    isDirect: false,
    options: parameters.get("options"),
    settings,
    displayName,
  };
}
