import { spawnSync } from "node:child_process";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parleyClient, type ParleyClient } from "@parley/client";
import { joinDatabase, statement } from "@parley/database";
import { SERVICE_SCHEMA } from "@parley/service/operation";
import { METRICS } from "@parley/telemetry";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { parley, temporaryFolder } from "../../../test/support/parley-process.ts";
import { startServe, type ServeHarness } from "./serve-harness.ts";

/** Metrics, health endpoints and log of `parley serve` with two processes of the service. */

let serve: ServeHarness;
let origin: string;
let client: ParleyClient;
beforeAll(async () => {
  serve = await startServe(["--workers", "2"], {
    PARLEY_METRICS_PORT: "0",
    PARLEY_LOG_FORMAT: "json",
    PARLEY_LOG_LEVEL: "warn",
    PARLEY_STOP_DELAY_SECONDS: "5",
  });
  ({ origin } = new URL(serve.announced.service));
  client = parleyClient({ url: serve.announced.service, token: serve.announced.token });
});
afterAll(() => serve?.stop());

const metrics = async (): Promise<string> => (await fetch(serve.announced.metrics ?? "")).text();
/** -> the sum of the values of a metric whose labels match */
const valueOf = async (name: string, labels = /.*/): Promise<number> =>
  (await metrics())
    .split("\n")
    .flatMap((line) => {
      const [, metric, given = "", value] = /^(\w+)(\{.*\})? (\S+)$/.exec(line) ?? [];
      return metric === name && labels.test(given) ? [Number(value)] : [];
    })
    .reduce((sum, value) => sum + value, 0);
/** Requests on connections of their own reach both processes. */
const listAgents = (requestId?: string) =>
  fetch(`${origin}/v2/agents`, {
    headers: {
      authorization: `Bearer ${serve.announced.token}`,
      connection: "close",
      ...(requestId === undefined ? {} : { "x-request-id": requestId }),
    },
  });

describe("the metrics of all processes", () => {
  test("count each request once, by its route and status", async () => {
    const route = /route="GET \/agents",status="200"/;
    const before = await valueOf("parley_http_request_duration_seconds_count", route);
    await Promise.all(Array.from({ length: 20 }, () => listAgents()));
    expect((await valueOf("parley_http_request_duration_seconds_count", route)) - before).toBe(20);
  });

  test("have the processes of the service and of the platform", async () => {
    const text = await metrics();
    const processes = [...text.matchAll(/^process_resident_memory_bytes\{process="([^"]+)"\}/gm)].map(
      ([, name]) => name,
    );
    expect(processes.sort()).toEqual(["main", "platform-1", "service-1", "service-2"]);
    expect(await valueOf("parley_event_partitions")).toBe(64);
    expect(await valueOf("parley_postgres_up")).toBe(1);
    expect(await valueOf("parley_workers")).toBe(3);
  });

  test("count writes by batch, and refusals by their token", async () => {
    const before = await valueOf("parley_write_batch_items_sum", /kind="users"/);
    await Promise.all(Array.from({ length: 10 }, () => client.users.createUser({ body: { first_name: "Kim" } })));
    expect((await valueOf("parley_write_batch_items_sum", /kind="users"/)) - before).toBe(10);
    const refused = await valueOf("parley_http_refusals_total", /status="RESOURCE_NOT_FOUND"|status="NOT_FOUND"/);
    await fetch(`${origin}/v2/nothing`, { headers: { authorization: `Bearer ${serve.announced.token}` } });
    expect(
      (await valueOf("parley_http_refusals_total", /status="RESOURCE_NOT_FOUND"|status="NOT_FOUND"/)) - refused,
    ).toBe(1);
  });

  test("count each request to the platform of apps, by a kind that no client can choose", async () => {
    const count = (kind: string, status: number) =>
      valueOf("parley_platform_request_duration_seconds_count", new RegExp(`kind="${kind}",status="${status}"`));
    const platform = new URL(serve.announced.platform).origin;
    const before = [await count("events", 404), await count("page", 421)];
    for (const path of ["/events/nothing", "/events/nothing", "/anything/else", "/anything"])
      await (await fetch(platform + path, { method: "POST" })).text();
    expect(
      [await count("events", 404), await count("page", 421)].map((value, at) => value - (before[at] ?? 0)),
    ).toEqual(
      // fetch repeats a request that was answered with 421 once.
      [2, 4],
    );
  });

  test("have the disk of the data folder, and the age of the last backup as soon as there is a backup", async () => {
    expect(await valueOf("parley_data_disk_bytes", /state="free"/)).toBeGreaterThan(0);
    expect(await metrics()).not.toContain("parley_backup_age_seconds{");
    const { folder: backups, remove } = await temporaryFolder();
    // A backup that was killed, one that runs, and a folder of somebody else.
    const { pid: ended } = spawnSync(process.execPath, ["--version"]);
    for (const [name, pid] of [
      [".killed.arriving", ended],
      [".running.arriving", process.pid],
    ] as const) {
      await mkdir(join(backups, name));
      await writeFile(join(backups, name, "writer.json"), JSON.stringify({ host: hostname(), pid }));
    }
    await mkdir(join(backups, ".others"));
    const env = { PARLEY_DATA: serve.dataFolder };
    expect(await parley(["backup", join(backups, "one")], { env })).toMatchObject({ status: 0 });
    expect((await readdir(backups)).toSorted()).toEqual([".others", ".running.arriving", "one"]);
    expect(await readdir(join(backups, "one"))).not.toContain("writer.json");
    expect(await metrics()).toMatch(/^parley_backup_age_seconds\{process="main"\} [\d.e-]+$/m);
    await remove();
  });

  test("do not wait for a count that takes long, and have the previous count meanwhile", async () => {
    const created = await fetch(`${origin}/admin/accounts/acme/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${serve.adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ url: "https://receiver.invalid/" }),
    });
    expect(created.status).toBe(201);
    const { channels } = await client.channels.listChannels({ query: {} });
    const { id = "" } = await client.users.createUser({ body: { first_name: "Lu" } });
    await client.conversations.createConversation({
      body: {
        channel_id: channels[0]?.id ?? "",
        users: [{ id }],
        messages: [{ actor_type: "user", actor_id: id, message_parts: [{ text: { content: "hello" } }] }],
      },
    });
    const waiting = () => valueOf("parley_deliveries", /kind="webhook",state="waiting"/);
    await waitUntil(async () => (await waiting()) > 0);
    const database = await joinDatabase({ dataFolder: serve.dataFolder });
    await database.pool(SERVICE_SCHEMA, { max: 1 }).transaction(async (tx) => {
      await tx.rows(statement("", "lock table deliveries in access exclusive mode"), []);
      expect(await waiting()).toBeGreaterThan(0);
      expect(await valueOf("parley_postgres_up")).toBe(1);
    });
    await database.close();
  });

  test("contain no metric that the catalogue lacks, and no value with an id, a name of an account or an address", async () => {
    const text = await metrics();
    const names = [...text.matchAll(/^# TYPE (parley_\w+)/gm)].map(([, name]) => name ?? "");
    expect(names.filter((name) => !(name in METRICS))).toEqual([]);
    expect(text).not.toMatch(/acme|[0-9a-f]{8}-[0-9a-f]{4}-|127\.0\.0\.1|localhost/);
  });
});

describe("the id of a request", () => {
  test("is in the response: that of the request, or a new id", async () => {
    expect((await listAgents("proxy-1:a/b")).headers.get("x-request-id")).toBe("proxy-1:a/b");
    const [one, other] = await Promise.all([listAgents(), listAgents()]);
    const ids = [one, other].map(({ headers }) => headers.get("x-request-id"));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[\w-]{14,}$/);
  });

  test.each([
    ["with spaces", "a b"],
    ["with quotes", 'a"b'],
    ["that is long", "x".repeat(129)],
    ["that is empty", ""],
  ])("%s is replaced", async (_, given) => {
    const id = (await listAgents(given)).headers.get("x-request-id");
    expect(id).not.toBe(given);
    expect(id).toMatch(/^[\w-]{14,}$/);
  });

  test.each([
    ["an address without an endpoint", "/v2/nothing"],
    ["an address that is not valid", "/v2/users/%zz"],
    ["a page", "/console/inbox"],
    ["a probe", "/live"],
  ])("is in the response to %s", async (_, path) => {
    expect((await fetch(origin + path)).headers.get("x-request-id")).toMatch(/^[\w-]{14,}$/);
  });
});

test("each line of the log is an object with its time and level", async () => {
  // A process that is killed is started again, which is logged.
  const [victim = 0] = serve.announced.workers;
  process.kill(victim, "SIGKILL");
  await waitUntil(() => serve.output.stderr.includes(String(victim)));
  const lines = serve.output.stderr.trim().split("\n");
  const entries = lines.map((line) => JSON.parse(line) as Record<string, string>);
  expect(entries.filter(({ level }) => level !== "warn" && level !== "error")).toEqual([]);
  expect(entries.filter(({ time, level, message }) => !time || !level || !message)).toEqual([]);
  expect(entries.find(({ message }) => message?.includes(String(victim)))).toMatchObject({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    level: "error",
  });
  await waitUntil(async () => (await valueOf("parley_workers")) === 3);
  expect(await valueOf("parley_worker_restarts_total")).toBe(1);
});

test.each([
  ["PARLEY_LOG_FORMAT", "xml", "PARLEY_LOG_FORMAT must be text or json, not 'xml'."],
  ["PARLEY_LOG_LEVEL", "loud", "PARLEY_LOG_LEVEL must be debug, info, warn or error, not 'loud'."],
  [
    "PARLEY_METRICS_PORT",
    "70000",
    "PARLEY_METRICS_PORT must be a port number from 0 to 65535 (0: any free port), not '70000'.",
  ],
  [
    "PARLEY_STOP_DELAY_SECONDS",
    "1h",
    "PARLEY_STOP_DELAY_SECONDS must be a whole number of seconds from 0 to 300, not '1h'.",
  ],
])("%s=%s is refused at the start", async (name, value, message) => {
  const { status, stderr } = await parley(["serve", "--port", "0"], {
    env: { PARLEY_DATA: serve.dataFolder, [name]: value },
  });
  expect([status, stderr.trim()]).toEqual([1, `parley: ${message}`]);
});

test("after SIGTERM requests are served while /ready answers 503, and then the port is closed", async () => {
  const statusOf = async (path: string): Promise<number> => (await fetch(origin + path)).status;
  expect(await statusOf("/ready")).toBe(200);
  process.kill(serve.announced.pid, "SIGTERM");
  await waitUntil(async () => (await statusOf("/ready")) === 503);
  const reply = await listAgents();
  expect([reply.status, reply.headers.get("connection")]).toEqual([200, "close"]);
  expect(await statusOf("/live")).toBe(200);
  const isClosed = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(origin).port), "127.0.0.1", () => resolve(false));
      socket.once("error", () => resolve(true));
      socket.once("connect", () => socket.destroy());
    });
  await waitUntil(isClosed);
});
