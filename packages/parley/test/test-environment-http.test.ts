import { describe, expect, test } from "@jest/globals";
import { localServiceHarness } from "./local-service-harness.ts";
import { snapshotStore } from "../src/test-environment/snapshot/store.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** Routes of /admin/world with the admin key of a local instance. */

const harness = fileFixture(localServiceHarness);

const at = (minutes: number) => new Date(Date.parse("2027-03-01T10:00:00.000Z") + minutes * 60_000).toISOString();

test("GET /admin/world answers 200 with the clock, the faults and the seed", async () => {
  const { clock, faults, snapshots } = await harness.state();
  expect(clock).toMatchObject({ mode: "real" });
  expect(faults).toEqual([]);
  expect(snapshots).toMatchObject([{ name: "seed", files: 0, loadable: true }]);
  expect(snapshots[0]?.rows).toBeGreaterThan(50);
});

test("PUT /admin/world/clock answers 200 with the new state", async () => {
  expect(await harness.clock({ action: "freeze", time: at(0) })).toMatchObject({ mode: "frozen", now: at(0) });
  expect(await harness.clock({ action: "advance", by: "1h30m" })).toMatchObject({ mode: "frozen", now: at(90) });
  const back = await harness.clock({ action: "set", time: at(30) });
  expect(back).toMatchObject({ mode: "frozen", now: at(30) });
  expect(back.warning).toContain("back");
  const running = await harness.clock({ action: "run" });
  expect(running.mode).toBe("shifted");
  expect(running.now >= at(30) && running.now < at(31)).toBe(true);
  expect(await harness.clock({ action: "reset" })).toMatchObject({ mode: "real" });
});

describe("PUT /admin/world/clock answers INVALID_VALUE or MISSING_PARAMETER for", () => {
  test.each([
    ["an unknown action", { action: "stop" }, "INVALID_VALUE", "action"],
    ["set without a time", { action: "set" }, "MISSING_PARAMETER", "time"],
    ["advance without a duration", { action: "advance" }, "MISSING_PARAMETER", "by"],
    ["an invalid duration", { action: "advance", by: "soon" }, "INVALID_VALUE", "1d, 90m"],
    ["an empty ISO duration", { action: "advance", by: "PT" }, "INVALID_VALUE", "by"],
    ["a negative duration", { action: "advance", by: "-1d" }, "INVALID_VALUE", "by"],
    ["a nonexistent date", { action: "set", time: "2026-02-31" }, "INVALID_VALUE", "time"],
    ["a time before the minimum", { action: "set", time: "1999-12-31T00:00:00Z" }, "INVALID_VALUE", "2000"],
    ["a time after the maximum", { action: "advance", by: "99999w" }, "INVALID_VALUE", "2199"],
    ["advance with a time", { action: "advance", by: "1d", time: at(0) }, "INVALID_VALUE", "time"],
    ["freeze with a duration", { action: "freeze", by: "1d" }, "INVALID_VALUE", "by"],
  ])("%s", async (_, body, status, word) => {
    const before = await harness.state();
    const { body: responseBody } = await harness.request("PUT", "/clock", body);
    expect(responseBody).toMatchObject({ code: 400, status });
    expect(responseBody["message"]).toContain(word);
    expect((await harness.state()).clock.mode).toBe(before.clock.mode);
  });
});

test.each([
  ["1d", 1_440],
  ["2w", 20_160],
  ["90m", 90],
  ["1h 30m", 90],
  ["3600s", 60],
  ["60000ms", 1],
  ["PT2H", 120],
  ["P1DT1M", 1_441],
  ["0.5h", 30],
])("PUT /admin/world/clock with an advance by %s advances by %i minutes", async (by, minutes) => {
  await harness.clock({ action: "freeze", time: at(0) });
  expect((await harness.clock({ action: "advance", by })).now).toBe(at(minutes));
  await harness.clock({ action: "reset" });
});

test("POST /admin/world/faults answers 201; DELETE /admin/world/faults/{fault_id} answers 200", async () => {
  const created = await harness.request("POST", "/faults", { kind: "latency", milliseconds: 1, times: 3 });
  expect(created).toMatchObject({
    status: 201,
    body: { target: "service", endpoint: "*", rate: 1, times: 3, happened: 0 },
  });
  expect((await harness.state()).faults).toHaveLength(1);
  const removed = await harness.request("DELETE", `/faults/${String(created.body["id"])}`);
  expect(removed).toMatchObject({ status: 200, body: { id: created.body["id"] } });
  expect((await harness.state()).faults).toEqual([]);
});

test("DELETE /admin/world/faults/{fault_id} answers 200 or 404 FAULT_NOT_FOUND", async () => {
  expect(await harness.request("DELETE", "/faults/17")).toMatchObject({
    status: 404,
    body: { status: "FAULT_NOT_FOUND" },
  });
});

test("POST /admin/world/faults answers 201 for each form of an endpoint", async () => {
  for (const endpoint of [
    "*",
    "POST /v2/conversations/{conversation_id}/messages",
    "POST /conversations/{conversation_id}/messages",
    "get /v2/users*",
    "* /v2/*",
    "GET /health",
    "GET /v2/users/0c7b1f7e-0000-4000-8000-000000000000",
  ])
    expect(await harness.request("POST", "/faults", { kind: "drop", when: "after", endpoint, rate: 0 })).toMatchObject({
      status: 201,
    });
});

test("DELETE /admin/world/faults answers 200 with the deleted faults", async () => {
  await harness.fault({ kind: "drop", when: "before", rate: 0 });
  const { status, body } = await harness.request("DELETE", "/faults");
  expect(status).toBe(200);
  expect((body["faults"] as unknown[]).length).toBeGreaterThan(0);
  expect((await harness.state()).faults).toEqual([]);
});

describe("POST /admin/world/faults answers INVALID_VALUE or MISSING_PARAMETER for", () => {
  test.each([
    ["a missing kind", {}, "kind"],
    ["a latency without a duration", { kind: "latency" }, "milliseconds"],
    ["a status fault without a status", { kind: "status" }, "status"],
    ["a drop without a time", { kind: "drop" }, "when"],
    ["an unsupported status", { kind: "status", status: 418 }, "status"],
    ["a latency with a status", { kind: "latency", milliseconds: 1, status: 503 }, "status belongs to status"],
    ["a 500 with a wait", { kind: "status", status: 500, retry_after: 1 }, "retry_after"],
    ["an invalid endpoint", { kind: "drop", when: "after", endpoint: "users" }, "endpoint"],
    ["an unknown endpoint", { kind: "drop", when: "after", endpoint: "GET /v2/user" }, "endpoint"],
    ["an unknown method", { kind: "drop", when: "after", endpoint: "FETCH /v2/users" }, "endpoint"],
    ["an admin endpoint", { kind: "drop", when: "after", endpoint: "GET /admin/world" }, "/admin"],
    ["a service fault with a host", { kind: "drop", when: "after", host: "api.example.com" }, "host"],
    ["a rate above 1", { kind: "drop", when: "after", rate: 1.5 }, "rate"],
    ["a rate of 0", { kind: "drop", when: "after", times: 0 }, "times"],
  ])("%s", async (_, body, word) => {
    const { status, body: responseBody } = await harness.request("POST", "/faults", body);
    expect(status).toBe(400);
    expect(responseBody["message"]).toContain(word);
    expect((await harness.state()).faults).toEqual([]);
  });
});

test("PUT /admin/world/snapshots/{name} answers 200, and POST /admin/world/snapshots/{name}/load restores it", async () => {
  expect(await harness.request("PUT", "/snapshots/kept-1")).toMatchObject({
    status: 200,
    body: { snapshot: "kept-1" },
  });
  await harness.createConversation("Later");
  expect(await harness.request("POST", "/snapshots/kept-1/load")).toMatchObject({ status: 200 });
  expect((await harness.client.users.listUsers({ query: { first_name: "Sam" } })).users).toEqual([]);
});

test("PUT /admin/world/snapshots/{name} answers INVALID_VALUE for an invalid name", async () => {
  for (const name of ["_before", "Kept", "a%20b", "x".repeat(41), "%22;drop"])
    expect(await harness.request("PUT", `/snapshots/${name}`)).toMatchObject({ status: 400 });
});

test("POST /admin/world/snapshots/{name}/load answers 200", async () => {
  const { status, body } = await harness.request("POST", "/snapshots/seed/load");
  expect({ status, snapshot: body["snapshot"] }).toEqual({ status: 200, snapshot: "seed" });
});

test("POST /admin/world/snapshots/{name}/load answers 404 SNAPSHOT_NOT_FOUND, and DELETE /admin/world/snapshots/{name} too", async () => {
  for (const [method, path] of [
    ["POST", "/snapshots/nobody/load"],
    ["DELETE", "/snapshots/nobody"],
  ] as const)
    expect(await harness.request(method, path)).toMatchObject({ status: 404, body: { status: "SNAPSHOT_NOT_FOUND" } });
});

test("DELETE /admin/world/snapshots/{name} answers 200, then 404 SNAPSHOT_NOT_FOUND", async () => {
  await harness.requestSuccessfully("PUT", "/snapshots/short");
  expect(await harness.request("DELETE", "/snapshots/short")).toMatchObject({ status: 200, body: { name: "short" } });
  expect(await harness.request("DELETE", "/snapshots/short")).toMatchObject({ body: { status: "SNAPSHOT_NOT_FOUND" } });
});

test("POST /admin/world/reset answers 200 with its duration", async () => {
  const { status, body } = await harness.request("POST", "/reset");
  expect({ status, snapshot: body["snapshot"] }).toEqual({ status: 200, snapshot: "seed" });
  expect(body["milliseconds"]).toEqual(expect.any(Number));
});

const outdated = { status: 409, body: { status: "SNAPSHOT_OUTDATED" } };

test("POST /admin/world/reset answers 409 SNAPSHOT_OUTDATED for a seed of another release and changes nothing", async () => {
  const pool = harness.database.pool("parley_service", { max: 1 });
  await pool.rows({ name: "", text: "alter table fields add column of_another_release int" }, []);
  await harness.createConversation("Stays");
  expect(await harness.request("POST", "/reset")).toMatchObject(outdated);
  expect((await harness.client.users.listUsers({ query: { first_name: "Sam" } })).users).toHaveLength(1);
});

test("POST /admin/world/snapshots/{name}/load answers 409 SNAPSHOT_OUTDATED for a snapshot of another release", async () => {
  expect(await harness.request("POST", "/snapshots/kept-1/load")).toMatchObject(outdated);
  expect((await harness.state()).snapshots).toMatchObject([{ name: "kept-1", loadable: false }, { name: "seed" }]);
  const pool = harness.database.pool("parley_service", { max: 1 });
  await pool.rows({ name: "", text: "alter table fields drop column of_another_release" }, []);
  expect(await harness.request("POST", "/snapshots/kept-1/load")).toMatchObject({ status: 200 });
});

test("POST /admin/world/reset answers 404 SNAPSHOT_NOT_FOUND if the seed was deleted", async () => {
  await snapshotStore(harness.database).remove("seed");
  expect(await harness.request("POST", "/reset")).toMatchObject({
    status: 404,
    body: { status: "SNAPSHOT_NOT_FOUND" },
  });
  await harness.requestSuccessfully("PUT", "/snapshots/seed");
});

test("/admin/world without the admin key reveals nothing, and the admin OpenAPI document includes its endpoints", async () => {
  const reply = await fetch(`${harness.origin}/admin/world`);
  expect(reply.status).toBe(401);
  expect(await reply.json()).toMatchObject({ status: "UNAUTHENTICATED" });
  const document = (await (await fetch(`${harness.origin}/admin/openapi.json`)).json()) as { paths: object };
  expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(["/admin/accounts", "/admin/world/reset"]));
  const status = await fetch(`${harness.origin}/admin/world/nothing`, { headers: { authorization: "Bearer x" } });
  expect(status.status).toBe(404);
});
