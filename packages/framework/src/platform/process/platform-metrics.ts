import type { IncomingMessage, ServerResponse } from "node:http";
import type { Invocation } from "@parley/contract";
import type { Metrics } from "@parley/telemetry";
import type { ProcessPool } from "../../runtime/process/process-pool.ts";
import { EVENTS_PATH } from "../../runtime/triggers/service-events.ts";
import { TARGETS_PATH } from "../../runtime/triggers/targets.ts";

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
type ObserveCall = (invocation: Pick<Invocation, "kind" | "ok" | "ms">) => void;

/** Times the calls of apps' handlers. */
export const observeCalls = (metrics: Metrics): ObserveCall => {
  const observe = metrics.histogram("parley_app_call_duration_seconds");
  return ({ kind, ok, ms }) => observe({ kind, outcome: ok ? "ok" : "failed" }, ms / 1_000);
};

/** Kinds of requests by the first part of their path. A path chosen by a client must not become a label. */
const KINDS: Readonly<Record<string, string>> = {
  [EVENTS_PATH]: "events",
  [TARGETS_PATH]: "targets",
  "/platform": "platform",
  "/auth": "sign_in",
  "/oauth": "sign_in",
};
const PAGE = "page";

const kindOf = (url = "/"): string => KINDS[/^\/[^/?]*/.exec(url)?.[0] ?? ""] ?? PAGE;

const isStream = (response: ServerResponse): boolean =>
  String(response.getHeader("content-type") ?? "").startsWith("text/event-stream");

export type ObserveRequest = (request: IncomingMessage, response: ServerResponse) => void;

/** Counts and times the requests of the platform's port, except streams, which end only when the client or the platform does. */
export const observeRequests = (metrics: Metrics): ObserveRequest => {
  if (!metrics.isOn) return () => undefined;
  const observe = metrics.histogram("parley_platform_request_duration_seconds");
  return (request, response) => {
    const kind = kindOf(request.url);
    const startedAt = performance.now();
    response.once("close", () => {
      if (isStream(response)) return;
      observe({ kind, status: String(response.statusCode) }, (performance.now() - startedAt) / 1_000);
    });
  };
};
