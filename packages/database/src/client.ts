import pg from "pg";
import type { DatabaseAddress } from "./address.ts";
import type { Endpoints } from "./endpoints.ts";
import type { ServerLiveness } from "./server-liveness.ts";
import { sessionClientClass } from "./session.ts";
import type { Statement } from "./statement.ts";

/** Options of a caller's connections. */
export interface ClientChoices {
  readonly schema?: string | undefined;
  readonly statementTimeoutMs?: number | undefined;
  readonly applicationName?: string | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** Time after a statement timeout until the connection is considered lost. @units milliseconds */
const RESPONSE_GRACE_MS = 1_000;

const INT8 = 20;
const INT8_ARRAY = 1016;

/** A bigint above 2^53 stays a string, since a number would lose digits. */
const parseInt8 = (digits: string): number | string => {
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : digits;
};

const deepInt8 = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(deepInt8) : typeof value === "string" ? parseInt8(value) : value;

type Parser = (text: string) => unknown;

const parserOf = (oid: number): Parser => pg.types.getTypeParser(oid, "text") as Parser;

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary"): Parser => {
    if (format === "binary") return pg.types.getTypeParser(oid, "binary") as Parser;
    if (oid === INT8) return parseInt8;
    if (oid === INT8_ARRAY) return (text) => deepInt8(parserOf(INT8_ARRAY)(text));
    return parserOf(oid);
  },
};

/** Encodes settings as startup options, which cost no round trip. */
const startupOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, "\\$&")}`)
    .join(" ");

/** Configuration of a connection: the driver's configuration, and the client class that chooses the server and prepares the session. */
export type ConnectionConfig = pg.ClientConfig & { readonly Client: typeof pg.Client };

/** An address with the state of its servers. */
export interface Servers {
  readonly address: DatabaseAddress;
  readonly endpoints: Endpoints;
  readonly liveness?: ServerLiveness | undefined;
  /** Follows the application name of every session. */
  readonly processLabel?: string | undefined;
  /** Of an address that asks for no kind of server. */
  readonly refusesReplicas?: boolean;
}

/** PostgreSQL truncates longer names. @units characters */
const APPLICATION_NAME_MAX = 63;

/** The name of sessions in `pg_stat_activity`. The label ends it, so that it is never truncated. */
export const applicationName = (name: string, label: string | undefined): string =>
  label === undefined ? name : `${name.slice(0, APPLICATION_NAME_MAX - label.length - 1)} ${label}`;

/** Builds the configuration of a connection. Queries are pipelined: statements sent together share a round trip. */
export const clientConfig = (
  { address, endpoints, liveness, processLabel, refusesReplicas = false }: Servers,
  choices: ClientChoices,
): ConnectionConfig => {
  const { schema, statementTimeoutMs } = choices;
  const settings = {
    ...address.settings,
    ...choices.settings,
    ...(statementTimeoutMs !== undefined && { statement_timeout: String(statementTimeoutMs) }),
    ...(schema !== undefined && { search_path: schema }),
  };
  const { isDirect, role, channelBinding } = address;
  const options = isDirect ? startupOptions(settings) : address.options;
  return {
    connectionTimeoutMillis: 5_000,
    ...address.config,
    application_name: applicationName(
      address.config.application_name ?? choices.applicationName ?? "parley",
      processLabel,
    ),
    pipeline: true,
    types,
    // The server cancels the statement; if the server doesn't respond, the driver closes the connection.
    ...(statementTimeoutMs !== undefined && { query_timeout: statementTimeoutMs + RESPONSE_GRACE_MS }),
    ...(options !== undefined && { options }),
    Client: sessionClientClass({
      endpoints,
      liveness,
      role,
      refusesReplicas,
      channelBinding,
      settings: isDirect ? {} : settings,
    }),
  };
};

export async function runOn<R>(client: pg.ClientBase, statement: Statement, values: readonly unknown[]): Promise<R[]> {
  const { name, text } = statement;
  const result = await client.query<R & pg.QueryResultRow>({ name, text, values: values as unknown[] });
  return result.rows;
}
