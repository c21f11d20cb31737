import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { metricsText, type MetricsSnapshot } from "./registry.ts";

/** Path of the metrics. */
export const METRICS_PATH = "/metrics";

interface ServeMetricsOptions {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Reads the metrics of all processes. */
  readonly read: () => Promise<readonly MetricsSnapshot[]>;
  readonly onError: (error: unknown) => void;
}

/** An HTTP server for Prometheus. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `GET /metrics`; every other request is refused. @errors the error of listening on the port */
export const serveMetrics = async ({ port, host, read, onError }: ServeMetricsOptions): Promise<MetricsServer> => {
  // Requests at the same time share a reading: each asks every process and the database.
  let reading: Promise<{ type: string; text: string }> | undefined;
  const readOnce = () =>
    (reading ??= read()
      .then(metricsText)
      .finally(() => (reading = undefined)));
  const answer = async ({ method, url }: IncomingMessage, response: ServerResponse) => {
    const refuse = (status: number, text: string) =>
      response.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${text}\n`);
    if (url?.split("?", 1)[0] !== METRICS_PATH) return refuse(404, `Only ${METRICS_PATH} is served here.`);
    if (method !== "GET" && method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return refuse(405, `Send GET ${METRICS_PATH}.`);
    }
    try {
      const { type, text } = await readOnce();
      return response.writeHead(200, { "content-type": type }).end(text);
    } catch (error) {
      onError(error);
      return refuse(500, "The metrics could not be read. The log has the reason.");
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
