import type { IncomingMessage, ServerResponse } from "node:http";
import type { Metrics } from "@parley/telemetry";
import { EVENTS_PATH } from "../../runtime/triggers/service-events.ts";
import { TARGETS_PATH } from "../../runtime/triggers/targets.ts";

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
