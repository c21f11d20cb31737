import pg from "pg";
import type { DatabaseAddress, Host, SessionRole } from "./address.ts";
import { isConnectionLost, failureLine, NoSuitableServer } from "./errors/failure.ts";
import { hasSqlState, SQLSTATE } from "./errors/sqlstate.ts";
import type { TlsChoice } from "./tls.ts";

/** A server with one TLS option. */
export interface ServerEndpoint extends Pick<Host, "host" | "port" | "name"> {
  readonly tls: TlsChoice;
}

/** Properties of a session's server. */
export interface SessionState {
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
}

/** Server selection shared by all connections to one address. */
export interface Endpoints {
  /**
   * Returns the server to connect to: the only server, the cached server, or the first that matches `target_session_attrs`, which is probed by
   * a separate connection.
   * @errors NoSuitableServer; errors of a server that refuses the connection
   */
  choose(): Promise<ServerEndpoint>;
  /** Discards the cached server: the next connection probes again. */
  invalidate(error?: unknown): void;
}

/** Select list of a query that returns a `SessionState`. */
export const SESSION_STATE = `pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`;

const ROLE_PREDICATES: Readonly<Record<SessionRole, (state: SessionState) => boolean>> = {
  any: () => true,
  "read-write": ({ is_standby, is_read_only }) => !is_standby && !is_read_only,
  "read-only": ({ is_standby, is_read_only }) => is_standby || is_read_only,
  primary: ({ is_standby }) => !is_standby,
  standby: ({ is_standby }) => is_standby,
  "prefer-standby": ({ is_standby }) => is_standby,
};

/** True if a session is acceptable for the requested role. */
export const isAcceptable = (role: SessionRole, state: SessionState): boolean =>
  role === "prefer-standby" || ROLE_PREDICATES[role](state);

const description = ({ is_standby, is_read_only }: SessionState): string =>
  is_standby
    ? "is a read-only replica"
    : is_read_only
      ? "takes no writes (default_transaction_read_only)"
      : "takes writes";

/** True if the server refuses connections with, or without, TLS: the other kind may succeed. */
const isTlsRefusal = (error: unknown): boolean => {
  const { code = "", message = "" } = (error ?? {}) as { code?: string; message?: string };
  if (/does not support SSL|establishing an SSL connection/.test(message)) return true;
  // No line of pg_hba.conf matches the connection.
  if (hasSqlState(error, SQLSTATE.INVALID_AUTHORIZATION_SPECIFICATION)) return true;
  return /^(ERR_SSL|ERR_TLS|EPROTO|ECONNRESET$)/.test(code);
};

const PROBE_TIMEOUT_MS = 5_000;

/** The first result that matches, in the order in which they arrive; undefined when all have failed or no result matches. */
const firstMatch = async <T>(work: readonly Promise<T>[], matches: (result: T) => boolean): Promise<T | undefined> => {
  const matching = work.map(async (each) => {
    const result = await each;
    if (!matches(result)) throw new Error("no match");
    return result;
  });
  return Promise.any(matching).catch(() => undefined);
};

/** Driver configuration of an endpoint. */
export const endpointConfig = ({ host, port, tls }: ServerEndpoint): pg.ClientConfig => ({
  ...(host !== undefined && { host }),
  ...(port !== undefined && { port }),
  ssl: tls,
});

export function openEndpoints({ config, hosts, role }: DatabaseAddress): Endpoints {
  const candidates = hosts.map(({ tls, ...host }) => tls.map((choice) => ({ ...host, tls: choice })));
  const [first] = candidates.flat();
  const isFixed = candidates.flat().length === 1 && role === "any";
  let cached: Promise<ServerEndpoint> | undefined;

  const probe = async (endpoint: ServerEndpoint): Promise<SessionState> => {
    const client = new pg.Client({ connectionTimeoutMillis: PROBE_TIMEOUT_MS, ...config, ...endpointConfig(endpoint) });
    client.on("error", () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<SessionState>(`select ${SESSION_STATE}`);
      return rows[0] ?? { is_standby: false, is_read_only: false };
    } finally {
      void client.end().catch(() => undefined);
    }
  };

  /** Tries the TLS options of one server in order. */
  const probeServer = async (
    options: readonly ServerEndpoint[],
  ): Promise<{ endpoint: ServerEndpoint; state: SessionState }> => {
    let refusal: unknown;
    for (const endpoint of options)
      try {
        return { endpoint, state: await probe(endpoint) };
      } catch (error) {
        // The error of the first option is more informative than the refusal of the second option.
        refusal = refusal !== undefined && isTlsRefusal(error) ? refusal : error;
        if (!isTlsRefusal(error)) break;
      }
    throw refusal;
  };

  /** There is one primary, so that no order decides: a server that does not respond delays nothing. */
  const isUnique = role === "read-write" || role === "primary";

  const search = async (): Promise<ServerEndpoint> => {
    const probes = isUnique && candidates.length > 1 ? candidates.map(probeServer) : undefined;
    const quickest = await firstMatch(probes ?? [], ({ state }) => ROLE_PREDICATES[role](state));
    if (quickest) return quickest.endpoint;
    const reasons: string[] = [];
    let substitute: ServerEndpoint | undefined;
    let lastError: Error | undefined;
    for (const [index, options] of candidates.entries())
      try {
        const { endpoint, state } = await (probes?.[index] ?? probeServer(options));
        if (ROLE_PREDICATES[role](state)) return endpoint;
        substitute ??= endpoint;
        reasons.push(`${endpoint.name} ${description(state)}`);
      } catch (error) {
        if (!isConnectionLost(error) && !isTlsRefusal(error)) throw error;
        lastError = error instanceof Error ? error : new Error(String(error));
        reasons.push(`${options[0]?.name}: ${failureLine(error)}`);
      }
    if (role === "prefer-standby" && substitute) return substitute;
    if (candidates.length === 1 && lastError !== undefined) throw lastError;
    throw new NoSuitableServer(
      role === "any" ? reasons.join("; ") : `no server is ${role} (target_session_attrs): ${reasons.join("; ")}`,
    );
  };

  return {
    choose: () => {
      if (isFixed && first) return Promise.resolve(first);
      const searched = (cached ??= search());
      searched.catch(() => {
        if (cached === searched) cached = undefined;
      });
      return searched;
    },
    invalidate: (error) => {
      // For a single server only the TLS option is cached, which an outage doesn't change.
      if (candidates.length > 1 || role !== "any" || isTlsRefusal(error)) cached = undefined;
    },
  };
}
