import type { Database, Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "./migrations.ts";

/**
 * Settings of connections for frequent statements, which find rows by key: a generic plan without sequential scans. Otherwise a plan made
 * while the tables were empty would scan them until they are analysed.
 */
export const KEYED_PLANS = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_generic_plan",
} as const;

/** Connection pools by kind of work, so that slow statements don't delay fast statements. */
interface ServicePools {
  /** All other statements. */
  readonly pool: Pool;
  /** Batched writes. One connection, since a second batch in flight gains nothing. */
  readonly writes: Pool;
  /** Batched reads, and leases of call allowances. On the connection for writes they would wait for a commit. */
  readonly reads: Pool;
  /** Metrics and lists that are counted and sorted for each request. */
  readonly heavy: Pool;
}

/** Maximum duration of one statement. @units milliseconds */
const STATEMENT_TIMEOUT_MS = { hot: 5_000, heavy: 15_000, other: 60_000 };
/** How long a batch of writes waits for a lock; meanwhile all other writes wait. @units milliseconds */
const LOCK_TIMEOUT_MS = 2_000;
/** Requests beyond `maxWaiting` are refused. */
const HEAVY_POOL = { max: 2, maxWaiting: 64 };

export const openPools = (database: Database): ServicePools => ({
  pool: database.pool(SERVICE_SCHEMA, { max: 4, statementTimeoutMs: STATEMENT_TIMEOUT_MS.other }),
  writes: database.pool(SERVICE_SCHEMA, {
    max: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS.hot,
    settings: { ...KEYED_PLANS, lock_timeout: String(LOCK_TIMEOUT_MS) },
  }),
  reads: database.pool(SERVICE_SCHEMA, { max: 3, statementTimeoutMs: STATEMENT_TIMEOUT_MS.hot, settings: KEYED_PLANS }),
  heavy: database.pool(SERVICE_SCHEMA, {
    ...HEAVY_POOL,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS.heavy,
    applicationName: "parley heavy",
  }),
});

export const endPools = ({ pool, writes, reads, heavy }: ServicePools): Promise<unknown> =>
  Promise.all([pool, writes, reads, heavy].map((each) => each.end()));
