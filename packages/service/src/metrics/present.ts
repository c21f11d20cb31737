import type { InstantMetric, MetricNow } from "@parley/contract";
import { filtersOf, groupingsOf, keysOf, type Scope } from "./scope.ts";
import type { Count, MetricStore } from "./store.ts";

/** @assumed Online is who is logged in, available who takes conversations; deactivated agents are neither. */
const READS: Readonly<Record<InstantMetric, (store: MetricStore, scope: Scope) => Promise<Count[]>>> = {
  "team_presence.online": (store, scope) => store.presence(scope, false),
  "team_presence.available": (store, scope) => store.presence(scope, true),
  "conversation_metrics.open": (store, scope) => store.open(scope, false),
  "conversation_metrics.unassigned": (store, scope) => store.open(scope, true),
};

/** A metric as it is now. */
export const presentOf = async (store: MetricStore, scope: Scope, metric: InstantMetric): Promise<MetricNow> => {
  const counts = await READS[metric](store, scope);
  const found = new Map(counts.map(({ key, count }) => [key, count]));
  return {
    metric,
    filters: filtersOf(scope),
    data: keysOf(scope, [...found.keys()]).map((key) => ({
      groupings: groupingsOf(scope, key),
      values: [{ key: metric, value: String(found.get(key) ?? 0) }],
    })),
  };
};
