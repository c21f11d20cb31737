import { metrics } from "@parley/contract";
import type { Facts } from "../facts/index.ts";
import { slice } from "../http/slice.ts";
import { historyOf } from "./history.ts";
import { presentOf } from "./present.ts";
import { scopeOf } from "./scope.ts";
import type { MetricStore } from "./store.ts";

export interface MetricDeps {
  readonly store: MetricStore;
  readonly facts: Pick<Facts, "caughtUp">;
}

/** @assumed A metric waits up to a second for what was committed before it, and shows what is told by then. */
export const metricSlice = ({ store, facts }: MetricDeps) =>
  slice(metrics, {
    async getHistoricalMetric({ query, caller }) {
      const scope = scopeOf(caller.account.id, query);
      await facts.caughtUp();
      return historyOf(store, scope, query);
    },
    async getInstantMetric({ query, caller }) {
      const scope = scopeOf(caller.account.id, query);
      await facts.caughtUp();
      return presentOf(store, scope, query.metric);
    },
  });
