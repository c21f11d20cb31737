import { type InstantMetric, type MetricNow, metrics } from "@parley/contract";
import { filtersOf, groupingsOf, keysOf, type MetricScope, metricScopeOf } from "./scope.ts";
import type { MetricCount, MetricStore } from "./store.ts";
import type { Analytics } from "../measures/analytics.ts";
import { defineRoutes } from "../../../http/route-handlers.ts";
import { metricHistory } from "./history.ts";

/** @assumed Online agents are logged in, available agents accept conversations. Deactivated agents are neither. */
const READS: Readonly<Record<InstantMetric, (store: MetricStore, scope: MetricScope) => Promise<MetricCount[]>>> = {
  "team_presence.online": (store, scope) => store.presence(scope, false),
  "team_presence.available": (store, scope) => store.presence(scope, true),
  "conversation_metrics.open": (store, scope) => store.open(scope, false),
  "conversation_metrics.unassigned": (store, scope) => store.open(scope, true),
};

/** The present value of a metric. */
const presentOf = async (store: MetricStore, scope: MetricScope, metric: InstantMetric): Promise<MetricNow> => {
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

interface MetricDeps {
  readonly store: MetricStore;
  readonly analytics: Pick<Analytics, "caughtUp">;
}

/** @assumed A metric waits up to one second for the projection of earlier commits, and shows the state that is projected by then. */
export const metricRoutes = ({ store, analytics }: MetricDeps) =>
  defineRoutes(metrics, {
    async getHistoricalMetric({ query, caller }) {
      const scope = metricScopeOf(caller.account.id, query);
      await analytics.caughtUp();
      return metricHistory(store, scope, query);
    },
    async getInstantMetric({ query, caller }) {
      const scope = metricScopeOf(caller.account.id, query);
      await analytics.caughtUp();
      return presentOf(store, scope, query.metric);
    },
  });
