import type { Database, Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "./migrations.ts";

/**
 * Settings of the connections for hot statements, which look rows up by key and nothing else: one plan, made once. Without them a
 * plan that was made while the tables were empty reads them from end to end until somebody analyzes them.
 */
export const KEYED_PLANS = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_generic_plan",
} as const;

/** Connections by what is done on them, so that nothing slow stands in the way of what is quick. */
export interface ServicePools {
  /** Everything else. */
  readonly pool: Pool;
  /** The batches of writes: one connection, since a second batch in flight gains nothing. */
  readonly writes: Pool;
  /** Gathered reads, and blocks of the allowance: behind a batch of writes they would wait for its commit. */
  readonly reads: Pool;
  /** Metrics and lists that are counted and sorted anew for each request. */
  readonly heavy: Pool;
}

/** How long one statement may take. @units milliseconds */
const STATEMENT_TIMEOUT_MS = { hot: 5_000, heavy: 15_000, other: 60_000 };
/** How long a batch of writes waits for what somebody else holds: it holds up all the others meanwhile. @units milliseconds */
const LOCK_TIMEOUT_MS = 2_000;
/** Who asks for more at a time can't mean it. */
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
