import { migrate, type Database } from "@parley/database";
import { NO_METRICS, openMetricsScope, type Log, type Metrics } from "@parley/telemetry";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "./db/migrations.ts";
import { endPools, openPools } from "./db/pools.ts";
import type { Ports } from "./environment/ports.ts";
import { healthCheck } from "./health/health.ts";
import { createJobs } from "./jobs/index.ts";
import { createCommitSignal } from "./log/commit-signal.ts";
import { openObjects } from "./objects/open-objects.ts";
import { createLazyVault } from "./secrets/lazy-vault.ts";
import { reportBatches, reportPools } from "./telemetry/process-metrics.ts";

interface BaseDeps {
  readonly database: Database;
  readonly ports: Ports;
  /** For local use. */
  readonly isLocal: boolean;
  /** Settings of storage and secrets. */
  readonly config: { readonly secretsKey?: string | undefined } & {
    readonly objects?: Parameters<typeof openObjects>[0]["config"];
  };
  /** Replaces the places of objects in the settings. */
  readonly objects?: Parameters<typeof openObjects>[0]["objects"];
  readonly objectsFolder?: string | undefined;
  /** Folder of the encryption key of secrets, unless the settings contain a key. */
  readonly secretsFolder?: string | undefined;
  readonly metrics?: Metrics | undefined;
  readonly log: Log;
}

/** Migrates the schema and opens the parts that all areas use: pools, jobs, objects, secrets, metrics. @errors UsageFailure for a setting that can't be used */
export const openBase = async (deps: BaseDeps) => {
  const { database, ports, isLocal, config, log } = deps;
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  const pools = openPools(database);
  const { pool } = pools;
  const { metrics, end: endGauges } = openMetricsScope(deps.metrics ?? NO_METRICS);
  reportPools(metrics, { ...pools });
  const endBatches = reportBatches(metrics);
  metrics.gauge("parley_database_broken_connections", () => [{ labels: {}, value: database.brokenConnectionCount() }]);
  const places = { objects: deps.objects, config: config.objects, folder: deps.objectsFolder };
  const vault = createLazyVault({ ports, secretsKey: config.secretsKey, secretsFolder: deps.secretsFolder });
  const openedObjects = await openObjects({ ...places, db: pool, ports, metrics, log });
  // A key in the settings that can't be used is reported at the start.
  if (config.secretsKey !== undefined) await vault();
  return {
    ...pools,
    database,
    ports,
    isLocal,
    jobs: createJobs({ database, ports, log }),
    openedObjects,
    vault,
    /** Announces commits of events. */
    commits: createCommitSignal(),
    /** Dependencies of each projector of the event log. */
    projectorOptions: { connect: () => database.connect(SERVICE_SCHEMA), db: pool, log },
    health: healthCheck({ database, pool, log }),
    metrics,
    log,
    async close() {
      endBatches();
      endGauges();
      await endPools(pools);
    },
  };
};
export type Base = Awaited<ReturnType<typeof openBase>>;
