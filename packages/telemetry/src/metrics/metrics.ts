import type { MetricLabels, MetricNameOf } from "./catalogue.ts";

/** The value of a gauge for one combination of its labels. */
export interface GaugeReading<N extends MetricNameOf<"gauge">> {
  readonly labels: MetricLabels<N>;
  readonly value: number;
}

/** Where the parts of a process report numbers. */
export interface Metrics {
  /** false: nobody reads them, and nothing needs to be measured. */
  readonly isOn: boolean;
  /** -> adds to a counter, 1 by default */
  counter<N extends MetricNameOf<"counter">>(name: N): (labels: MetricLabels<N>, by?: number) => void;
  /** -> adds an observation to a histogram, in the unit of its name */
  histogram<N extends MetricNameOf<"histogram">>(name: N): (labels: MetricLabels<N>, value: number) => void;
  /** `read` is called when the metrics are read. Values that several parts report with equal labels are added. -> ends the reporting */
  gauge<N extends MetricNameOf<"gauge">>(
    name: N,
    read: () => readonly GaugeReading<N>[] | Promise<readonly GaugeReading<N>[]>,
  ): () => void;
}

const ignore = () => () => undefined;

/** Where metrics are not served. */
export const NO_METRICS: Metrics = { isOn: false, counter: ignore, histogram: ignore, gauge: () => () => undefined };

/** Metrics of a part that ends before its process. -> them, and a function that ends its gauges */
export const openMetricsScope = (metrics: Metrics): { readonly metrics: Metrics; readonly end: () => void } => {
  const ends: (() => void)[] = [];
  return {
    metrics: {
      ...metrics,
      gauge(name, read) {
        const end = metrics.gauge(name, read);
        ends.push(end);
        return end;
      },
    },
    end() {
      for (const end of ends.splice(0)) end();
    },
  };
};
