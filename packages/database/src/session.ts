import pg from "pg";
import type { ChannelBinding, SessionRole } from "./address.ts";
import {
  endpointConfig,
  SESSION_STATE,
  isAcceptable,
  type ServerEndpoint,
  type Endpoints,
  type SessionState,
} from "./endpoints.ts";
import { DatabaseUnavailable, NoSuitableServer } from "./errors/failure.ts";
import { watchedClient, type ServerLiveness } from "./server-liveness.ts";

/** Initial state of a pool's sessions. */
interface SessionPlan {
  readonly endpoints: Endpoints;
  /** Closes the sessions of a server that does not answer. */
  readonly liveness?: ServerLiveness | undefined;
  readonly role: SessionRole;
  /**
   * A role of "any" excludes replicas. A former primary that has become one may still have transactions that were never acknowledged, and
   * that its successor does not have: rows that are read there must not be answered.
   */
  readonly refusesReplicas: boolean;
  readonly channelBinding: ChannelBinding;
  /** Settings by name, except those that are startup options. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Runs once per new connection, in one round trip. Settings are made by a statement and read back, since a pooler may drop startup
 * options: without its search path, a service would create its tables in another schema.
 */
const INIT_SESSION = `
  select (select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as asked (name, value)) as made,
         array(select current_setting(name) from unnest($1::text[]) as asked (name)) as present,
         ${SESSION_STATE}`;

const INIT_TIMEOUT_MS = 5_000;

type SessionInitRow = SessionState & { readonly present: readonly string[] };

interface ClientInternals {
  host: string | undefined;
  port: number;
  ssl: unknown;
  readonly connection: {
    ssl: unknown;
    once(event: "authenticationSASL", listener: (message: { readonly mechanisms: readonly string[] }) => void): void;
  };
}

const BINDING_MECHANISM = "SCRAM-SHA-256-PLUS";

/** A subclass of the driver's client that chooses its server when it connects, and then initialises its session. */
export const sessionClientClass = ({
  endpoints,
  liveness,
  role,
  refusesReplicas,
  channelBinding,
  settings,
}: SessionPlan): typeof pg.Client => {
  const names = Object.keys(settings);
  const values = names.map((name) => settings[name] ?? "");

  const begin = async (client: pg.Client): Promise<void> => {
    if (names.length === 0 && role === "any" && !refusesReplicas) return;
    // The driver's connect timeout ends with the connection, and a pooler may block the client after that.
    const query = { text: INIT_SESSION, values: [names, values], query_timeout: INIT_TIMEOUT_MS };
    const { rows } = await client.query<SessionInitRow>(query);
    const [begun] = rows;
    if (!begun || !isAcceptable(role, begun)) throw new NoSuitableServer(`the server is not ${role} any more`);
    if (role === "any" && refusesReplicas && begun.is_standby)
      throw new NoSuitableServer("the server is a replica now");
    const index = names.indexOf("search_path");
    if (index !== -1 && begun.present[index] !== values[index])
      throw new DatabaseUnavailable(
        `The search path of the session can't be set to ${values[index]}: a pooler between here and PostgreSQL shares sessions. Use its session mode, or PostgreSQL's own address.`,
      );
  };

  return class SessionClient extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config);
      // Until a pool listens. Errors in the meantime fail the attempt to connect.
      this.on("error", () => undefined);
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
    override connect(
      callback?: ((error: Error) => void) | ((error: null, client: pg.Client) => void),
    ): Promise<pg.Client> | void {
      const opened = this.open();
      if (!callback) return opened;
      const done = callback as (error: Error | null, client?: pg.Client) => void;
      opened.then(
        () => done(null, this),
        (error: Error) => done(error),
      );
    }

    private async open(): Promise<this> {
      let endpoint: ServerEndpoint | undefined;
      try {
        endpoint = await endpoints.choose();
        this.aimAt(endpoint);
        const isBound = this.watchBinding();
        await super.connect();
        if (channelBinding === "require" && !isBound())
          throw new DatabaseUnavailable(
            "The server does not bind its authentication to the connection (channel_binding=require). Use sslmode=require or stronger and a password of the kind scram-sha-256, or leave channel_binding out.",
          );
        await begin(this);
        const unwatch = liveness?.watch(endpoint, watchedClient(this));
        if (unwatch) this.once("end", unwatch);
        return this;
      } catch (error) {
        if (endpoint) endpoints.invalidate(error);
        void this.end().catch(() => undefined);
        throw error;
      }
    }

    /** Returns a function that reports whether the server offered SCRAM with channel binding, which the driver then uses on a TLS connection. */
    private watchBinding(): () => boolean {
      const inner = this as unknown as ClientInternals;
      let isOffered = false;
      inner.connection.once("authenticationSASL", ({ mechanisms }) => {
        isOffered = mechanisms.includes(BINDING_MECHANISM);
      });
      return () => isOffered && inner.ssl !== false;
    }

    /** The driver sets the server in the client's constructor, before the primary is known. */
    private aimAt(endpoint: ServerEndpoint): void {
      const { host, port, ssl } = endpointConfig(endpoint);
      const inner = this as unknown as ClientInternals;
      if (host !== undefined) inner.host = host;
      if (port !== undefined) inner.port = port;
      inner.ssl = ssl;
      inner.connection.ssl = ssl;
    }
  };
};
