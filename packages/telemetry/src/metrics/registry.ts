import { METRICS, type MetricName } from "./catalogue.ts";
import type { GaugeReading, Metrics } from "./metrics.ts";

/** The metrics of one process, as they are sent to the process that serves them. */
export type MetricsSnapshot = readonly object[];

/** Metrics that are collected, with what the process itself uses: processor time, memory, event loop, garbage collection. */
export interface MetricRegistry extends Metrics {
  /** Reads all metrics. A gauge that can't be read is left out. */
  snapshot(): Promise<MetricsSnapshot>;
}

interface MetricRegistryOptions {
  /** Value of the label `process`, such as `service-1`. */
  readonly process: string;
  /** Called with a gauge that can't be read. */
  readonly onError: (metric: MetricName, error: unknown) => void;
}

interface WritableGauge {
  reset(): void;
  remove(labels: object): void;
  inc(labels: object, value: number): void;
}

type GaugeReader = () => readonly GaugeReading<never>[] | Promise<readonly GaugeReading<never>[]>;

/** The library is loaded where metrics are served only. */
export const createMetricRegistry = async ({ process, onError }: MetricRegistryOptions): Promise<MetricRegistry> => {
  const { default: prometheus } = await import("prom-client");
  const own = new prometheus.Registry();
  own.setDefaultLabels({ process });
  const shared = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: own });
  const readers = new Map<MetricName, Set<GaugeReader>>();

  const settingsOf = (name: MetricName) => {
    const { help, labels, scope } = METRICS[name];
    return { name, help, labelNames: [...labels], registers: [scope === "process" ? own : shared] };
  };
  /** A metric is registered when a part of the process first asks for it. */
  const existing = <T>(name: MetricName): T | undefined =>
    (own.getSingleMetric(name) ?? shared.getSingleMetric(name)) as T | undefined;

  const readGauge = async (name: MetricName, gauge: WritableGauge) => {
    gauge.reset();
    // A gauge without labels would begin at 0, also when nothing reports it.
    gauge.remove({});
    for (const read of readers.get(name) ?? [])
      try {
        for (const { labels, value } of await read()) gauge.inc(labels, value);
      } catch (error) {
        onError(name, error);
      }
  };

  return {
    isOn: true,
    counter(name) {
      const counter =
        existing<InstanceType<typeof prometheus.Counter>>(name) ?? new prometheus.Counter(settingsOf(name));
      return (labels, by = 1) => counter.inc(labels, by);
    },
    histogram(name) {
      const { buckets } = METRICS[name];
      const histogram =
        existing<InstanceType<typeof prometheus.Histogram>>(name) ??
        new prometheus.Histogram({ ...settingsOf(name), buckets: [...buckets] });
      return (labels, value) => histogram.observe(labels, value);
    },
    gauge(name, read) {
      const all = readers.get(name) ?? new Set<GaugeReader>();
      readers.set(name, all.add(read));
      if (existing(name) === undefined)
        new prometheus.Gauge({
          ...settingsOf(name),
          async collect() {
            await readGauge(name, this);
          },
        });
      return () => void all.delete(read);
    },
    async snapshot() {
      const [ofProcess, others] = await Promise.all([own.getMetricsAsJSON(), shared.getMetricsAsJSON()]);
      return [...ofProcess, ...others];
    },
  };
};

/** -> the text of the metrics of several processes, in the format of Prometheus: equal metrics are added */
export const metricsText = async (snapshots: readonly MetricsSnapshot[]): Promise<{ type: string; text: string }> => {
  const { default: prometheus } = await import("prom-client");
  const all = prometheus.AggregatorRegistry.aggregate(snapshots.map((snapshot) => [...snapshot]));
  return { type: all.contentType, text: await all.metrics() };
};
