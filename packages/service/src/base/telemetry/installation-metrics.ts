import { setTimeout as sleep } from "node:timers/promises";
import type { Metrics } from "@parley/telemetry";
import type { Database } from "@parley/database";
import { realPorts } from "../environment/ports.ts";
import { SERVICE_SCHEMA } from "../db/migrations.ts";
import { healthCheck } from "../health/health.ts";
import { telemetryStore, type TelemetryStore } from "./store.ts";

interface InstallationMetricsDeps {
  readonly metrics: Metrics;
  readonly database: Database;
}

/** Readings are short and rare; a scrape never waits long for them. */
const POOL = {
  max: 1,
  maxWaiting: 16,
  acquireTimeoutMs: 2_000,
  statementTimeoutMs: 2_000,
  applicationName: "parley metrics",
};

/** Counting 200,000 deliveries that wait takes 0.2 s. No other reading waits for these counts. */
const COUNTING_POOL = { ...POOL, max: 2, statementTimeoutMs: 60_000 };
/** How long a scrape waits for a count. @units milliseconds */
const COUNT_WAIT_MS = 200;

/**
 * Limits how long a call waits for a slow query. A query that takes longer goes on, and later calls return its rows. -> the rows of the last
 * query that has ended, or an empty list before the first one has @errors the error of that query, also if an earlier call began it
 */
const readSlowly = <T>(read: () => Promise<readonly T[]>): (() => Promise<readonly T[]>) => {
  let last = (): readonly T[] => [];
  let pending: Promise<void> | undefined;
  return async () => {
    pending ??= read()
      .then(
        (rows) => void (last = () => rows),
        (error: unknown) =>
          void (last = () => {
            throw error;
          }),
      )
      .finally(() => (pending = undefined));
    await Promise.race([pending, sleep(COUNT_WAIT_MS, undefined, { ref: false })]);
    return last();
  };
};

const one = (value: number) => [{ labels: {}, value }];

/** Reports what the whole installation has in common: the state of the database and of the work in it. One process of a machine measures them. */
export const reportInstallation = ({ metrics, database }: InstallationMetricsDeps): void => {
  if (!metrics.isOn) return;
  const pool = database.pool(SERVICE_SCHEMA, POOL);
  const store = telemetryStore(pool);
  const counts = telemetryStore(database.pool(SERVICE_SCHEMA, COUNTING_POOL));
  const deliveries = readSlowly(() => counts.deliveries());
  const dueWork = readSlowly(() => counts.dueWork(realPorts.now()));
  // The log of the health check is that of the service.
  const health = healthCheck({ database, pool, log: () => undefined });
  metrics.gauge("parley_postgres_up", async () => one((await health()) === undefined ? 1 : 0));
  metrics.gauge("parley_deliveries", async () =>
    (await deliveries()).map(({ kind, state, count }) => ({ labels: { kind, state }, value: count })),
  );
  metrics.gauge("parley_jobs_due", async () =>
    (await dueWork()).map(({ task, count }) => ({ labels: { task }, value: count })),
  );
  // Several gauges share one statement.
  let reading: ReturnType<TelemetryStore["server"]> | undefined;
  const server = () => (reading ??= store.server().finally(() => (reading = undefined)));
  metrics.gauge("parley_postgres_connections", async () => {
    const state = await server();
    if (!state) return [];
    return [
      { labels: { state: "open" }, value: state.sessions },
      { labels: { state: "max" }, value: state.sessions_max },
    ];
  });
  metrics.gauge("parley_postgres_database_bytes", async () => {
    const state = await server();
    return state ? one(state.database_bytes) : [];
  });
  metrics.gauge("parley_postgres_oldest_transaction_seconds", async () =>
    one((await server())?.oldest_transaction_s ?? 0),
  );
  metrics.gauge("parley_postgres_replication_lag_bytes", async () => {
    const lag = (await server())?.replication_lag_bytes;
    return typeof lag === "number" ? one(lag) : [];
  });
};
