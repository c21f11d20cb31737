import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { NewFault } from "@parley/contract";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { localServiceHarness, type LocalServiceHarness } from "./local-service-harness.ts";

/** Injected faults: response to the client and effect on the data. */

let harness: LocalServiceHarness;
/** The times for which requests were delayed, in place of their passing. @units milliseconds */
const delays: number[] = [];
let delayed: Promise<void> | undefined;
beforeAll(async () => {
  const delay = (ms: number) => {
    delays.push(ms);
    return delayed ?? Promise.resolve();
  };
  harness = await localServiceHarness({ env: { PARLEY_CALLS_PER_HOUR: "1000000" }, delay });
});
afterAll(() => harness.close());
beforeEach(() => harness.requestSuccessfully("DELETE", "/faults"));

const ask = (method: string, path: string, { body, ...headers }: Record<string, string> = {}) =>
  fetch(`${harness.origin}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${harness.token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
const named = async (name: string) =>
  (await harness.client.users.listUsers({ query: { first_name: name } })).users.map(({ first_name }) => first_name);
const make = (name: string) => ask("POST", "/v2/users", { body: JSON.stringify({ first_name: name }) });
const happened = async () => (await harness.state()).faults.map((fault) => fault.happened);

test("a latency fault delays the regular response", async () => {
  await harness.fault({ kind: "latency", milliseconds: 1_000, endpoint: "GET /v2/channels" });
  let endDelay = (): void => undefined;
  delayed = new Promise((resolve) => (endDelay = resolve));
  const order: string[] = [];
  const slow = ask("GET", "/v2/channels").finally(() => order.push("the delayed response"));
  await waitUntil(() => delays.length > 0);
  expect((await ask("GET", "/v2/groups")).status).toBe(200);
  order.push("the end of the delay");
  endDelay();
  expect((await slow).status).toBe(200);
  expect([delays, order]).toEqual([[1_000], ["the end of the delay", "the delayed response"]]);
  delayed = undefined;
});

test("several latency faults add up", async () => {
  await harness.fault({ kind: "latency", milliseconds: 150 });
  await harness.fault({ kind: "latency", milliseconds: 150 });
  delays.length = 0;
  await ask("GET", "/v2/channels");
  expect(delays).toEqual([300]);
});

describe("a status fault answers with the service's own error and changes nothing:", () => {
  test.each([
    [429, "TOO_MANY_REQUESTS", 7],
    [503, "SERVICE_UNAVAILABLE", 7],
    [500, "INTERNAL_SERVER_ERROR", undefined],
  ] as const)("%i", async (code, status, seconds) => {
    await harness.fault({
      kind: "status",
      status: code,
      endpoint: "POST /users",
      ...(seconds && { retry_after: seconds }),
    });
    const reply = await make(`status-${code}`);
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([code, seconds ? String(seconds) : null]);
    expect(await reply.json()).toMatchObject({ code, status });
    expect(await named(`status-${code}`)).toEqual([]);
  });

  test("a status fault answers in the form of RFC 9457 too, and with an error category where a message is added", async () => {
    const id = await harness.createConversation("Hello");
    await harness.fault({ kind: "status", status: 503, endpoint: "POST /v2/conversations/{conversation_id}/messages" });
    const path = `/v2/conversations/${id}/messages`;
    const body = JSON.stringify({ actor_type: "bot", message_parts: [{ text: { content: "Hi" } }] });
    expect(await (await ask("POST", path, { body })).json()).toMatchObject({
      error_code: 503,
      error_category: "OTHER",
    });
    const problem = await ask("POST", path, { body, accept: "application/problem+json" });
    expect(problem.headers.get("content-type")).toContain("problem+json");
    expect((await ask("GET", path)).status).toBe(200);
  });
});

test("a drop fault before the request closes the connection and changes nothing", async () => {
  await harness.fault({ kind: "drop", when: "before", endpoint: "POST /v2/users" });
  await expect(make("before")).rejects.toThrow("fetch failed");
  expect(await named("before")).toEqual([]);
});

test("a drop fault after the request creates the user and sends no response", async () => {
  await harness.fault({ kind: "drop", when: "after", endpoint: "POST /v2/users" });
  await expect(make("after")).rejects.toThrow("fetch failed");
  expect(await named("after")).toEqual(["after"]);
  expect(await happened()).toEqual([1]);
});

test("a drop fault after the request adds the message to its conversation", async () => {
  const id = await harness.createConversation("Hello");
  await harness.fault({ kind: "drop", when: "after", endpoint: "POST /conversations/{conversation_id}/messages" });
  const body = JSON.stringify({ actor_type: "bot", message_parts: [{ text: { content: "Lost, and kept" } }] });
  await expect(ask("POST", `/v2/conversations/${id}/messages`, { body })).rejects.toThrow("fetch failed");
  const { messages } = await harness.client.messages.listMessages({ params: { conversation_id: id }, query: {} });
  expect(JSON.stringify(messages)).toContain("Lost, and kept");
});

test("a client with retries succeeds despite a fault that occurs twice", async () => {
  await harness.fault({ kind: "status", status: 503, endpoint: "GET /v2/channels", times: 2, retry_after: 0 });
  expect((await harness.client.channels.listChannels({ query: {} })).channels.length).toBeGreaterThan(0);
  expect(await happened()).toEqual([2]);
});

test("a fault with a rate occurs at about that rate, and of two matching faults the first one occurs", async () => {
  await harness.fault({ kind: "status", status: 500, endpoint: "GET /v2/channels", rate: 0.5 });
  await harness.fault({ kind: "status", status: 503, endpoint: "GET /v2/*" });
  const codes = await Promise.all(Array.from({ length: 200 }, async () => (await ask("GET", "/v2/channels")).status));
  const first = codes.filter((code) => code === 500).length;
  expect(first).toBeGreaterThan(50);
  expect(first).toBeLessThan(150);
  expect(codes.filter((code) => code === 503)).toHaveLength(200 - first);
  expect(await happened()).toEqual([first, 200 - first]);
});

describe("a fault's endpoint", () => {
  const FITTING: [endpoint: string, method: string, path: string, isHit: boolean][] = [
    ["*", "GET", "/v2/channels", true],
    ["*", "GET", "/health", true],
    ["* /v2/*", "GET", "/health", false],
    ["GET /v2/chan*", "GET", "/v2/channels?page=1", true],
    ["GET /channels", "GET", "/v2/channels/", true],
    ["GET /v2/channels", "GET", "/v2/channelsandmore", false],
    ["POST /v2/users", "GET", "/v2/users?first_name=x", false],
    ["GET /v2/users/{user_id}", "GET", "/v2/users/1/conversations", false],
    ["GET /v2/users/{user_id}", "GET", "/v2/users/1", true],
  ];
  test.each(FITTING)("%s matches %s %s: %s", async (endpoint, method, path, isHit) => {
    await harness.fault({ kind: "status", status: 503, endpoint });
    expect((await ask(method, path)).status === 503).toBe(isHit);
  });
});

test("a fault never affects /admin", async () => {
  await harness.fault({ kind: "drop", when: "before" });
  expect((await harness.request("GET", "")).status).toBe(200);
  const status = await fetch(`${harness.origin}/admin/status`, {
    headers: { authorization: "Bearer parley_admin_of-a-test" },
  });
  expect(status.status).toBe(200);
});

describe("a fault of the app's own requests", () => {
  const outgoing = { method: "POST", host: "api.example.com", path: "/v1/things" };
  const CASES: [what: string, fault: Partial<NewFault>, isHit: boolean][] = [
    ["matches all of them", {}, true],
    ["matches those to one host", { host: "API.example.com" }, true],
    ["matches those to the subdomains of a host", { host: "*.example.com" }, true],
    ["does not match those to another host", { host: "example.com" }, false],
    ["matches those of one endpoint", { endpoint: "POST /v1/*" }, true],
    ["does not match those of another endpoint", { endpoint: "GET /v1/*" }, false],
    ["does not match if it is a fault of the service", { target: "service" }, false],
  ];
  test.each(CASES)("%s", async (_, more, isHit) => {
    await harness.fault({ kind: "drop", when: "after", target: "app", ...more });
    expect(harness.local.faults(outgoing)).toEqual(isHit ? { kind: "drop", when: "after" } : undefined);
    if (more.target !== "service") expect((await ask("GET", "/health")).ok).toBe(true);
  });

  test.each([
    [{ kind: "latency", milliseconds: 5 } as const, { kind: "latency", ms: 5 }],
    [{ kind: "status", status: 503 } as const, { kind: "status", status: 503 }],
    [{ kind: "drop", when: "before" } as const, { kind: "drop", when: "before" }],
  ])("%j", async (wanted, fault) => {
    await harness.fault({ ...wanted, target: "app", times: 1 });
    expect([harness.local.faults(outgoing), harness.local.faults(outgoing)]).toEqual([fault, undefined]);
  });
});
