import type { Permission } from "@parley/contract";
import { migrate, statement, type Database } from "@parley/database";
import { directory as openDirectory } from "./accounts/directory.ts";
import { accountSlice } from "./accounts/routes.ts";
import { accountStore } from "./accounts/store.ts";
import { agentSlice } from "./agents/routes.ts";
import { agentStore } from "./agents/store.ts";
import { allowance } from "./allowance/allowance.ts";
import { guard } from "./allowance/guard.ts";
import { allowanceStore } from "./allowance/store.ts";
import { channelSlice } from "./channels/routes.ts";
import { channelStore } from "./channels/store.ts";
import { serviceConfig, type ServiceConfig } from "./config.ts";
import { MIGRATIONS, SCHEMA } from "./db/migrations.ts";
import { ensureDemo } from "./demo/demo.ts";
import { fieldSlice } from "./fields/routes.ts";
import { fieldStore } from "./fields/store.ts";
import { groupSlice } from "./groups/routes.ts";
import { groupStore } from "./groups/store.ts";
import { hotPath } from "./hot-path.ts";
import { edge } from "./http/edge.ts";
import { realPorts, type Ports } from "./ports.ts";
import { roleSlice } from "./roles/routes.ts";
import { roleStore } from "./roles/store.ts";
import { callers } from "./tokens/callers.ts";
import { tokenStore } from "./tokens/store.ts";
import { tokens } from "./tokens/tokens.ts";
import { userSlice } from "./users/routes.ts";
import { userStore } from "./users/store.ts";

/** What the owner of an installation may do, over all accounts. */
export interface Admin {
  /** Accounts acme and solo. May be called again. */
  ensureDemo(): Promise<void>;
  issueToken(options: {
    account: string;
    name: string;
    permissions?: readonly Permission[];
    lifetimeSeconds?: number;
  }): Promise<{ id: string; token: string }>;
  isValidToken(token: string): Promise<boolean>;
  revokeToken(id: string): Promise<void>;
}

export interface Service {
  /** Without the version segment. */
  readonly url: string;
  readonly port: number;
  readonly admin: Admin;
  /** Takes no more requests, gives those under way three seconds, ends. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** The caller's: it is not closed here. */
  readonly database: Database;
  /** 0: any free one. */
  readonly port: number;
  readonly host?: string;
  readonly ports?: Ports;
  readonly config?: ServiceConfig;
  readonly log?: (line: string) => void;
}

/** How long requests under way may hold up a close. @units milliseconds */
const DRAIN = 3_000;

const ALIVE = statement("alive", "select 1");

/** Brings the schema up to date and serves the API. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const {
    database,
    port,
    host = "127.0.0.1",
    ports = realPorts,
    config = serviceConfig(),
    log = console.error,
  } = options;
  await migrate(database, SCHEMA, MIGRATIONS);
  const pool = database.pool(SCHEMA, { max: 4 });
  // On connections of their own: a read behind a commit waits for it.
  const writes = database.pool(SCHEMA, { max: 1 });
  const reads = database.pool(SCHEMA, { max: 3 });
  const { now } = ports;
  const wake = () => undefined;
  const [agents, channels, fields, groups] = [agentStore(pool), channelStore(pool), fieldStore(pool), groupStore(pool)];
  const directory = openDirectory({ agents, channels, fields, groups });
  const hot = hotPath({ writes, reads, directory, ports, wake });
  const tokenRows = tokenStore(pool);

  const app = await edge({
    slices: [
      accountSlice(),
      userSlice({ users: userStore({ writes, reads, pool }), ports, wake }),
      hot.conversations,
      hot.messages,
      fieldSlice({ fields }),
      agentSlice({ agents }),
      channelSlice({ channels }),
      groupSlice({ groups }),
      roleSlice({ roles: roleStore(pool) }),
    ],
    callers: callers({ store: tokenRows, now }),
    allowance: allowance({ store: allowanceStore(pool), now, callsPerHour: config.callsPerHour }),
    guard: guard({ now }),
    alive: () => pool.one(ALIVE, []),
    log,
  });
  await app.listen({ port, host });
  const [address] = app.addresses();
  if (typeof address !== "object") throw new Error("the server listens on no port");

  const issuing = tokens({ store: tokenRows, accounts: accountStore(pool), ports });
  let closed: Promise<void> | undefined;
  const close = async () => {
    const force = setTimeout(() => app.server.closeAllConnections(), DRAIN);
    await app.close();
    clearTimeout(force);
    await hot.close();
    await Promise.all([pool, writes, reads].map((each) => each.end()));
  };
  return {
    url: `http://${host}:${address.port}`,
    port: address.port,
    admin: {
      ensureDemo: () => ensureDemo(pool),
      issueToken: issuing.issue,
      isValidToken: issuing.isValid,
      revokeToken: issuing.revoke,
    },
    close: () => (closed ??= close()),
  };
}
