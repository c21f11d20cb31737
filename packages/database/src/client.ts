import pg from "pg";
import type { DatabaseAddress } from "./address.ts";
import type { Endpoints } from "./endpoints.ts";
import { sessionClient } from "./session.ts";
import type { Statement } from "./statement.ts";

/** What a caller may choose for its connections. */
export interface ClientChoices {
  readonly schema?: string | undefined;
  readonly statementTimeoutMs?: number | undefined;
  readonly applicationName?: string | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
}

/** How long after its time a statement may be answered before the server counts as gone. @units milliseconds */
const SILENCE = 1_000;

const INT8 = 20;
const INT8_ARRAY = 1016;

/** Beyond 2^53 a number would lie, so the digits stay text. */
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

/** Settings as the options with which a session starts, where they cost no round trip. */
const startupOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\\\s]/g, "\\$&")}`)
    .join(" ");

/** What opens a connection: the driver's configuration, and the client that finds the server and prepares the session. */
export type ConnectionConfig = pg.ClientConfig & { readonly Client: typeof pg.Client };

/** An address, with what is known of its servers. */
export interface Servers {
  readonly address: DatabaseAddress;
  readonly endpoints: Endpoints;
}

/** How connections are opened; pipelined, so that statements sent together share a round trip. */
export const clientConfig = ({ address, endpoints }: Servers, choices: ClientChoices): ConnectionConfig => {
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
    application_name: choices.applicationName ?? "parley",
    ...address.config,
    pipeline: true,
    types,
    // The server ends the statement; where the server itself is silent, this side ends the connection.
    ...(statementTimeoutMs !== undefined && { query_timeout: statementTimeoutMs + SILENCE }),
    ...(options !== undefined && { options }),
    Client: sessionClient({ endpoints, role, channelBinding, settings: isDirect ? {} : settings }),
  };
};

/** Runs one statement on one connection. */
export async function runOn<R>(client: pg.ClientBase, statement: Statement, values: readonly unknown[]): Promise<R[]> {
  const { name, text } = statement;
  const result = await client.query<R & pg.QueryResultRow>({ name, text, values: values as unknown[] });
  return result.rows;
}
