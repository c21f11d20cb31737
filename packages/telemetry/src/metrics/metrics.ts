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
  /** `read` is called when the metrics are read. Several parts can report one gauge with different labels. */
  gauge<N extends MetricNameOf<"gauge">>(
    name: N,
    read: () => readonly GaugeReading<N>[] | Promise<readonly GaugeReading<N>[]>,
  ): void;
}

const ignore = () => () => undefined;

/** Where metrics are not served. */
export const NO_METRICS: Metrics = { isOn: false, counter: ignore, histogram: ignore, gauge: () => undefined };
