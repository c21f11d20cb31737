import { metricPages } from "@parley/contract";
import type { Pool } from "@parley/database";
import type { Analytics } from "../measures/analytics.ts";
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
