import { afterEach, describe, expect, test } from "@jest/globals";
import {
  createMetricRegistry,
  METRICS,
  NO_METRICS,
  openMetricsScope,
  serveMetrics,
  type MetricRegistry,
} from "@parley/telemetry";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const registryOf = async (process: string) => {
  const errors: string[] = [];
  const registry = await createMetricRegistry({ process, onError: (name) => void errors.push(name) });
  return { registry, errors };
};

const serve = async (...registries: readonly MetricRegistry[]) => {
  const errors: unknown[] = [];
  const read = () => Promise.all(registries.map((each) => each.snapshot()));
  const server = await serveMetrics({ port: 0, host: "127.0.0.1", read, onError: (error) => void errors.push(error) });
  closers.push(() => server.close());
  return { url: `http://127.0.0.1:${server.port}/metrics`, errors };
};

const textOf = async (...registries: readonly MetricRegistry[]): Promise<string> =>
  (await fetch((await serve(...registries)).url)).text();

describe("the metrics of several processes", () => {
  test("are added, except those of a process, which have its name", async () => {
    const processes = await Promise.all(["service-1", "service-2"].map(registryOf));
    for (const [index, { registry }] of processes.entries()) {
      registry.histogram("parley_http_request_duration_seconds")({ route: "GET /users", status: "200" }, 0.004);
      registry.counter("parley_dead_letters_total")({ kind: "webhook" }, index + 1);
      registry.gauge("parley_http_streams", () => [{ labels: {}, value: index + 5 }]);
    }
    const text = await textOf(...processes.map(({ registry }) => registry));
    expect(text).toContain('parley_http_request_duration_seconds_count{route="GET /users",status="200"} 2\n');
    expect(text).toContain(
      'parley_http_request_duration_seconds_bucket{le="0.0025",route="GET /users",status="200"} 0\n',
    );
    expect(text).toContain(
      'parley_http_request_duration_seconds_bucket{le="0.005",route="GET /users",status="200"} 2\n',
    );
    expect(text).toContain('parley_dead_letters_total{kind="webhook"} 3\n');
    expect(text).toContain('parley_http_streams{process="service-1"} 5\n');
    expect(text).toContain('parley_http_streams{process="service-2"} 6\n');
    for (const each of ["service-1", "service-2"])
      expect(text).toMatch(new RegExp(`^nodejs_eventloop_lag_p99_seconds\\{process="${each}"\\} [\\d.e-]+$`, "m"));
  });

  test("lack a gauge that can't be read, and nothing else", async () => {
    const { registry, errors } = await registryOf("service-1");
    registry.gauge("parley_postgres_up", () => Promise.reject(new Error("no database")));
    registry.gauge("parley_postgres_replication_lag_bytes", () => []);
    registry.gauge("parley_http_streams", () => [{ labels: {}, value: 1 }]);
    const text = await textOf(registry);
    expect(text).not.toMatch(/^parley_postgres/m);
    expect(text).toContain('parley_http_streams{process="service-1"} 1\n');
    expect(errors).toEqual(["parley_postgres_up"]);
  });

  test("add what several parts of a process report, until a part ends", async () => {
    const { registry } = await registryOf("service-1");
    registry.gauge("parley_http_streams", () => [{ labels: {}, value: 2 }]);
    const scope = openMetricsScope(registry);
    scope.metrics.gauge("parley_http_streams", () => [{ labels: {}, value: 3 }]);
    expect(await textOf(registry)).toContain('parley_http_streams{process="service-1"} 5\n');
    scope.end();
    expect(await textOf(registry)).toContain('parley_http_streams{process="service-1"} 2\n');
  });

  test("lose what a gauge no longer reports", async () => {
    const { registry } = await registryOf("service-1");
    const states = ["waiting", "dead"];
    registry.gauge("parley_deliveries", () => states.map((state) => ({ labels: { kind: "app", state }, value: 1 })));
    expect(await textOf(registry)).toContain('state="dead"');
    states.pop();
    expect(await textOf(registry)).not.toContain('state="dead"');
  });
});

describe("the server of the metrics", () => {
  test.each([
    ["GET", "/", 404],
    ["GET", "/metricsx", 404],
    ["POST", "/metrics", 405],
    ["DELETE", "/metrics", 405],
  ])("refuses %s %s with %i", async (method, path, status) => {
    const { url } = await serve();
    const reply = await fetch(new URL(path, url), { method });
    expect(reply.status).toBe(status);
    expect(await reply.text()).toContain("/metrics");
  });

  test("answers 500 when a process can't be asked, and reports why", async () => {
    const failing = { snapshot: () => Promise.reject(new Error("gone")) } as unknown as MetricRegistry;
    const { url, errors } = await serve(failing);
    expect((await fetch(url)).status).toBe(500);
    expect(errors).toEqual([new Error("gone")]);
  });
});

test("metrics that nobody reads cost nothing, and need no library", () => {
  NO_METRICS.counter("parley_dead_letters_total")({ kind: "app" });
  expect(NO_METRICS.isOn).toBe(false);
});

test("names of metrics end with their unit, and those of counters with _total", () => {
  const wrong = Object.entries(METRICS).filter(
    ([name, { type }]) => !name.startsWith("parley_") || (type === "counter") !== name.endsWith("_total"),
  );
  expect(wrong).toEqual([]);
});
