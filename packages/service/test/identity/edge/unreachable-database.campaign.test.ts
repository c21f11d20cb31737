import { logText } from "@parley/telemetry";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrate, openDatabase, type Database } from "@parley/database";
import { testDatabase, testRelay, type TestRelay } from "@parley/database/testing";
import { SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "../../../src/index.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

/** A service whose PostgreSQL is on another machine, and is stopped. */
let own: Database;
let relay: TestRelay;
let database: Database;
let w: ServiceHarness;
let userId: string;
const lines: string[] = [];
beforeAll(async () => {
  const key = `service ${JSON.stringify(SERVICE_MIGRATIONS)}`;
  own = await testDatabase({ key, run: (fresh) => migrate(fresh, SERVICE_SCHEMA, SERVICE_MIGRATIONS) });
  relay = await testRelay(own);
  database = await openDatabase({
    dataFolder: "",
    url: relay.url,
    log: (...line) => void lines.push(logText(...line)),
  });
  w = await serviceHarness({ database, hasThrottledLog: true });
  ({ id: userId } = await w.client.users.createUser({ body: { first_name: "Ann" } }));
});
afterAll(async () => {
  await w.close();
  await database.close();
  await relay.close();
  await own.close();
});

const ask = async (method: string, path: string, body?: object) => {
  const response = await w.raw(method, path, {
    ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  const { status, headers } = response;
  return { status, retry: headers.get("retry-after"), text: await response.text() };
};

const KINDS: [string, string, (() => string) | string, object?][] = [
  ["a gathered read", "GET", () => `/v2/users/${userId}`],
  ["a batch of writes", "POST", "/v2/users", { first_name: "Bob" }],
  ["a list", "GET", "/v2/agents"],
  ["a list that is counted anew", "GET", "/v2/users?sort_by=email&email=x@y.z"],
  ["a sign of life", "GET", "/health"],
];
const askAll = () =>
  Promise.all(KINDS.map(([, method, path, body]) => ask(method, typeof path === "string" ? path : path(), body)));

test("while PostgreSQL is stopped each kind of request is answered 503 with Retry-After", async () => {
  expect((await askAll()).map(({ status }) => status)).toEqual([200, 201, 200, 200, 200]);
  await relay.cut();
  const first = await askAll();
  for (const { status, retry, text } of first) {
    expect({ status, retry }).toEqual({ status: 503, retry: "1" });
    expect(JSON.parse(text)).toMatchObject({ code: 503, status: "SERVICE_UNAVAILABLE" });
  }
  const later = [];
  for (let turn = 0; turn < 20; turn++) later.push(...(await askAll()));
  expect(later.every(({ status }) => status === 503)).toBe(true);
  expect(await ask("GET", "/live")).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  // An outage is logged once, not for each request.
  expect(lines.filter((line) => line.includes("can't be reached"))).toHaveLength(1);
  expect(w.logLines.length).toBeLessThan(20);
});

test("when it runs again everything works without intervention, and events are delivered", async () => {
  await relay.restore();
  await waitUntil(async () => (await ask("GET", "/health")).status === 200);
  expect((await askAll()).map(({ status }) => status)).toEqual([200, 201, 200, 200, 200]);
  expect(lines.filter((line) => line.includes("is back after"))).toHaveLength(1);
});

test("the service stops cleanly while it is stopped", async () => {
  await relay.cut();
  const under = ask("GET", "/v2/agents");
  // It is in progress when requests that began later have been answered.
  for (let count = 0; count < 10; count++) expect((await ask("GET", "/live")).status).toBe(200);
  await w.close();
  await database.close();
  expect(await under).toMatchObject({ status: 503 });
});
