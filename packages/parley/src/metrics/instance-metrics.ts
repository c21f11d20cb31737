import {
  failureText,
  createMetricRegistry,
  METRICS_PATH,
  NO_METRICS,
  onLoggedFailure,
  serveMetrics,
  type Log,
  type Metrics,
  type MetricsSnapshot,
} from "@parley/telemetry";
import { VERSION } from "@parley/service/operation";
import { failAtPort } from "../environment/ports.ts";

/** Reads the metrics of other processes. */
type ReadSnapshots = () => Promise<readonly MetricsSnapshot[]>;

/** The metrics of an instance: of this process and of those that it has started. */
export interface InstanceMetrics {
  /** Where parts of this process report. */
  readonly metrics: Metrics;
  /** Adds processes whose metrics are served too. */
  readonly addProcesses: (read: ReadSnapshots) => void;
  /** Begins to serve. -> the address; undefined unless a port is set @errors CommandFailure for a port in use */
  readonly listen: (host: string) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

/** Metrics about the version of a process. */
const reportBuild = (metrics: Metrics): void =>
  void metrics.gauge("parley_build_info", () => [{ labels: { version: VERSION, node: process.version }, value: 1 }]);

/** A registry that reports to the log what can't be read. @shape name: value of the label `process` */
export const processMetrics = async (name: string, log: Log) => {
  const registry = await createMetricRegistry({
    process: name,
    onError: (metric, error) =>
      log(`The metric ${metric} can't be read: ${failureText(error)}`, { level: "warn", part: "metrics", key: metric }),
  });
  const countFailure = registry.counter("parley_log_failures_total");
  onLoggedFailure((level) => countFailure({ level }));
  return registry;
};

const NONE: InstanceMetrics = {
  metrics: NO_METRICS,
  addProcesses: () => undefined,
  listen: () => Promise.resolve(undefined),
  close: () => Promise.resolve(),
};

/**
 * Opens the metrics of an instance.
 * @shape port: undefined where metrics are not served, 0 for any free port; name: value of the label `process` for this process
 */
export const openInstanceMetrics = async (
  port: number | undefined,
  { name, log }: { readonly name: string; readonly log: Log },
): Promise<InstanceMetrics> => {
  if (port === undefined) return NONE;
  const own = await processMetrics(name, log);
  reportBuild(own);
  const others: ReadSnapshots[] = [];
  let close = (): Promise<void> => Promise.resolve();
  return {
    metrics: own,
    addProcesses: (read) => void others.push(read),
    async listen(host) {
      const server = await serveMetrics({
        port,
        host,
        read: async () => [await own.snapshot(), ...(await Promise.all(others.map((read) => read()))).flat()],
        onError: (error) =>
          log(`The metrics can't be read: ${failureText(error)}`, { level: "error", part: "metrics" }),
      }).catch((error: unknown) => failAtPort(error, "PARLEY_METRICS_PORT", port));
      close = () => server.close();
      return `http://${host.includes(":") ? `[${host}]` : host}:${server.port}${METRICS_PATH}`;
    },
    close: () => close(),
  };
};
