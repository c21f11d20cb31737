import type { InstantMetric, MetricHistory } from "@parley/contract";
import { queryOptions } from "@tanstack/react-query";
import { client } from "../../session/session.ts";
import type { ReportHistories } from "./figures.ts";
import { metricFilterOf, type ReportRange, type ReportView } from "./report-view.ts";

export const REPORT_KEY = ["admin", "report"] as const;
export const LIVE_METRICS_KEY = ["admin", "live-metrics"] as const;

/** Data of a report. */
interface LoadedReport extends ReportHistories {
  /** The latest events are not contained yet. */
  readonly isBehind: boolean;
}

/**
 * The histories of a view: by interval, and for the whole span, since averages of intervals don't add up.
 * @errors INVALID_METRIC_RANGE
 */
export const reportQuery = (view: ReportView, { start, end }: ReportRange, timezone: string) =>
  queryOptions({
    queryKey: [...REPORT_KEY, view, start, end, timezone],
    queryFn: async ({ signal }): Promise<LoadedReport> => {
      const { aggregator, interval, grouping } = view;
      const filter = metricFilterOf(view);
      const common = {
        start,
        end,
        timezone,
        ...(grouping !== "none" && { group_by: grouping }),
        ...(filter !== undefined && { filter_by: filter }),
      };
      const histories = (query: typeof common & { readonly interval?: typeof interval }): Promise<MetricHistory[]> =>
        Promise.all([
          ...(["conversation_metrics", "team_performance"] as const).map((metric) =>
            client.metrics.getHistoricalMetric({ query: { ...query, metric, aggregator }, signal }),
          ),
          client.metricPages.getRatingHistory({ query, signal }),
        ]);
      const [series, totals, { is_behind }] = await Promise.all([
        histories({ ...common, interval }),
        histories(common),
        client.metricPages.getMetricState({ signal }),
      ]);
      return { series, totals, isBehind: is_behind };
    },
  });

export const LIVE_METRICS = [
  "conversation_metrics.open",
  "conversation_metrics.unassigned",
  "team_presence.available",
  "team_presence.online",
] as const satisfies readonly InstantMetric[];

/** The present values, in the order of LIVE_METRICS. */
export const liveMetricsQuery = (view: Pick<ReportView, "group" | "agent">) => {
  const filter = metricFilterOf(view);
  return queryOptions({
    queryKey: [...LIVE_METRICS_KEY, filter],
    queryFn: ({ signal }): Promise<readonly string[]> =>
      Promise.all(
        LIVE_METRICS.map(async (metric) => {
          const query = { metric, ...(filter !== undefined && { filter_by: filter }) };
          const { data } = await client.metrics.getInstantMetric({ query, signal });
          return data[0]?.values[0]?.value ?? "0";
        }),
      ),
    // Read anew whenever the page is opened: nothing follows events while it is closed.
    gcTime: 0,
  });
};
