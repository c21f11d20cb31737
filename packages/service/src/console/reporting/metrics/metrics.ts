import { metricPages } from "@parley/contract";
import type { Db, Pool } from "@parley/database";
import type { Analytics } from "../measures/analytics.ts";
import { bucketMiddle } from "../measures/measures.ts";
import { defineRoutes, type ResourceRoutes } from "../../../http/route-handlers.ts";
import { ratingHistory } from "./ratings.ts";
import { metricRoutes } from "./routes.ts";
import { metricScopeOf } from "./scope.ts";
import { metricStore } from "./store.ts";

interface MetricsDeps {
  /** For statements that read many rows. */
  readonly heavy: Pool;
  readonly analytics: Pick<Analytics, "caughtUp">;
}

/** Metrics: the endpoints of the API, and those of the console's page of reports. */
export const createMetricEndpoints = ({
  heavy,
  analytics,
}: MetricsDeps): { readonly slice: ResourceRoutes; readonly consoleTable: ResourceRoutes } => {
  const store = metricStore(heavy);
  return {
    slice: metricRoutes({ store, analytics }),
    consoleTable: defineRoutes(metricPages, {
      async getRatingHistory({ query, caller }) {
        const scope = metricScopeOf(caller.account.id, query);
        // The group of a rating is that of its interaction, which is projected.
        await analytics.caughtUp();
        return ratingHistory(store, scope, query);
      },
      async getMetricState() {
        return { is_behind: !(await analytics.caughtUp()) };
      },
    }),
  };
};

/** @units milliseconds */
const TYPICAL_PERIOD_MS = 7 * 86_400_000;
/** Below this number the median says little. */
const TYPICAL_RESPONSES_MIN = 5;

/** Median time to the first response of an account, over the last 7 days. @units milliseconds */
export type TypicalResponse = (accountId: number) => Promise<number | undefined>;

/**
 * Reads the figures of the reports: at most 169 rows by the key of `metric_hours`, whatever the number of conversations.
 * -> undefined with fewer than 5 responses
 */
export const createTypicalResponse = ({
  reads,
  now,
}: {
  readonly reads: Db;
  readonly now: () => Date;
}): TypicalResponse => {
  const store = metricStore(reads);
  return async (accountId) => {
    const end = now();
    const span = { start: new Date(end.getTime() - TYPICAL_PERIOD_MS), end };
    const scope = { accountId, groups: undefined, agents: undefined, by: undefined };
    const query = { ...span, measure: "first_response", cut: "all", intervals: [span] } as const;
    const [{ count = 0 } = {}] = await store.sums(scope, query);
    if (count < TYPICAL_RESPONSES_MIN) return undefined;
    const [{ quantile } = {}] = await store.quantiles(scope, query, 0.5);
    return typeof quantile === "number" ? bucketMiddle(quantile) : undefined;
  };
};
