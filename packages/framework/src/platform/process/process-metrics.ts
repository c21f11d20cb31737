import type { Invocation } from "@parley/contract";
import type { Metrics } from "@parley/telemetry";
import type { ProcessPool } from "../../runtime/process/process-pool.ts";

interface ProcessMetricsDeps {
  readonly metrics: Metrics;
  readonly processPool: ProcessPool;
}

/** Reports the processes of apps' code. */
export const reportProcesses = ({ metrics, processPool }: ProcessMetricsDeps): void => {
  if (!metrics.isOn) return;
  metrics.gauge("parley_app_processes", () => {
    const { processes, idle, waiting } = processPool.counts();
    return [
      { labels: { state: "busy" }, value: processes - idle },
      { labels: { state: "idle" }, value: idle },
      { labels: { state: "waiting" }, value: waiting },
    ];
  });
  metrics.gauge("parley_app_process_memory_bytes", () => {
    const value = processPool.memoryBytes();
    return value === undefined ? [] : [{ labels: {}, value }];
  });
};

/** Receives each call of an app's handler when it has ended. */
export type ObserveCall = (invocation: Pick<Invocation, "kind" | "ok" | "ms">) => void;

/** Times the calls of apps' handlers. */
export const observeCalls = (metrics: Metrics): ObserveCall => {
  const observe = metrics.histogram("parley_app_call_duration_seconds");
  return ({ kind, ok, ms }) => observe({ kind, outcome: ok ? "ok" : "failed" }, ms / 1_000);
};
