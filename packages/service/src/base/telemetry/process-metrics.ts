import { onBatch, type Pool } from "@parley/database";
import type { Metrics } from "@parley/telemetry";

/** Reports the connections of pools, by their names. */
export const reportPools = (metrics: Metrics, pools: Readonly<Record<string, Pick<Pool, "usage">>>): void => {
  if (!metrics.isOn) return;
  const named = Object.entries(pools);
  metrics.gauge("parley_database_connections", () =>
    named.flatMap(([pool, each]) => {
      const { busy, idle } = each.usage();
      return [
        { labels: { pool, state: "busy" }, value: busy },
        { labels: { pool, state: "idle" }, value: idle },
      ];
    }),
  );
  metrics.gauge("parley_database_waiting", () =>
    named.map(([pool, each]) => ({ labels: { pool }, value: each.usage().waiting })),
  );
};

/** Reports the batches of writes and reads of this process. -> ends that */
export const reportBatches = (metrics: Metrics): (() => void) => {
  if (!metrics.isOn) return () => undefined;
  const observe = {
    write: metrics.histogram("parley_write_batch_items"),
    read: metrics.histogram("parley_read_batch_items"),
  };
  const waitingWrites = new Map<string, number>();
  metrics.gauge("parley_write_queue_items", () =>
    [...waitingWrites].map(([kind, value]) => ({ labels: { kind }, value })),
  );
  return onBatch(({ kind, name, items, waiting }) => {
    observe[kind]({ kind: name }, items);
    if (kind === "write") waitingWrites.set(name, waiting);
  });
};
