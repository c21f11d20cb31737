import type { Database } from "@parley/database";
import type { Metrics } from "@parley/telemetry";
import { APP_SCHEMA } from "../state/db/migrations.ts";
import { realHostPorts } from "../environment/ports.ts";
import { scheduleStore } from "../state/schedules.sql.ts";

/** @units milliseconds */
const POOL = { max: 1, maxWaiting: 4, acquireTimeoutMs: 2_000, statementTimeoutMs: 2_000 };

/** Reports the schedules of all apps that are due. One process of a machine measures them. */
export const reportSchedules = ({ metrics, database }: { readonly metrics: Metrics; readonly database: Database }) => {
  if (!metrics.isOn) return;
  const schedules = scheduleStore(database.pool(APP_SCHEMA, POOL));
  metrics.gauge("parley_schedules_due", async () => [
    { labels: {}, value: await schedules.countDue(realHostPorts.now()) },
  ]);
};
