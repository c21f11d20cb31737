import { describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { plainRequest } from "../../plain-http.ts";
import { serviceHarness } from "../../service-harness.ts";
import { untilQuarterMs } from "../../quarter-hour.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const DAY_MS = 86_400_000;
/** The machine's clock plus the time that a test adds. */
const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead) };

const w = fileFixture(() => serviceHarness({ ports: { now: clock.now } }));

const get = (authorization: string | undefined, path = "/v2/agents", headers: object = {}) =>
  plainRequest(w.url, { path, headers: { ...(authorization !== undefined && { authorization }), ...headers } });
const issue = (options: object = {}) => w.admin.issueToken({ account: "acme", name: "a test", ...options });

describe("a request without a valid token is refused with UNAUTHENTICATED", () => {
  const bad: [string, string | undefined][] = [
    ["no header", undefined],
    ["an empty header", ""],
    ["another scheme", "Basic YWxhZGRpbjpvcGVuc2VzYW1l"],
    ["no token", "Bearer"],
    ["a malformed token", "Bearer parley_123"],
    ["a token that nobody issued", `Bearer parley_${"A".repeat(43)}`],
    ["two tokens", `Bearer parley_${"A".repeat(43)} parley_${"A".repeat(43)}`],
  ];
  test.each(bad)("%s", async (_, header) => {
    const reply = await get(header);
    expect(reply.status).toBe(401);
    expect(JSON.parse(reply.text)).toMatchObject({ code: 401, status: "UNAUTHENTICATED" });
    expect(reply.headers).toMatchObject({ "x-ratelimit-limit": "1000" });
    expect(Number(reply.headers["x-ratelimit-remaining"])).toBeLessThan(1000);
    expect(Number(reply.headers["x-ratelimitreset"])).toBeGreaterThan(0);
    const challenge = /^Bearer parley_\S+$/.test(header ?? "")
      ? 'Bearer realm="parley", error="invalid_token"'
      : 'Bearer realm="parley"';
    expect(reply.headers["www-authenticate"]).toBe(challenge);
  });

  test("before its body is read", async () => {
    const reply = await plainRequest(w.url, { method: "POST", path: "/v2/users", body: "{" });
    expect(reply.status).toBe(401);
  });
});

test("the word Bearer is accepted in any case", async () => {
  expect((await get(`bearer ${w.token}`)).status).toBe(200);
});

test("a token is valid for 365 days unless another lifetime is requested", async () => {
  const [year, short] = await Promise.all([issue(), issue({ lifetimeSeconds: 60 })]);
  const codes = async () =>
    [await get(`Bearer ${year.token}`), await get(`Bearer ${short.token}`)].map(({ status }) => status);
  expect(await codes()).toEqual([200, 200]);
  clock.ahead = 61_000;
  expect(await codes()).toEqual([200, 401]);
  clock.ahead = 365 * DAY_MS - 10_000;
  expect(await codes()).toEqual([200, 401]);
  clock.ahead = 365 * DAY_MS + 10_000;
  expect(await codes()).toEqual([401, 401]);
  clock.ahead = 0;
});

test("a revoked token is refused within a second, even if it is in constant use", async () => {
  const { id, token } = await issue();
  expect((await get(`Bearer ${token}`)).status).toBe(200);
  expect(await w.admin.isValidToken(token)).toBe(true);
  await w.admin.revokeToken(id);
  w.expireCaches();
  expect((await get(`Bearer ${token}`)).status).toBe(401);
  expect(await w.admin.isValidToken(token)).toBe(false);
});

test("a refusal names the permission that the token lacks", async () => {
  const { token } = await issue({ permissions: ["agent:read"] });
  expect((await get(`Bearer ${token}`)).status).toBe(200);
  const reply = await get(`Bearer ${token}`, "/v2/groups");
  expect(JSON.parse(reply.text)).toEqual({
    code: 403,
    status: "FORBIDDEN",
    message: "The access token does not have the permission group:read.",
  });
});

describe("the path's account and the token's account", () => {
  const hosts: [string, number][] = [
    ["acme.parley.localhost", 200],
    ["ACME.parley.localhost:1234", 200],
    ["acme.parley.localhost.", 200],
    ["localhost", 200],
    ["127.0.0.1:80", 200],
    ["solo.parley.localhost", 403],
    ["nobody.parley.localhost:1234", 403],
  ];
  test.each(hosts)("acme's token at %s gets status %i", async (host, code) => {
    expect((await get(`Bearer ${w.token}`, "/v2/agents", { host })).status).toBe(code);
  });
});

test("only the hash of a token is stored", async () => {
  const { token } = await issue();
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const rows = await pool.rows<object>(statement("", "select * from tokens"), []);
  await pool.end();
  expect(rows.length).toBeGreaterThan(2);
  expect(rows.map((row) => Object.values(row).map(String).join(" ")).join("\n")).not.toContain(token);
});

test("a token for a nonexistent account is not issued", async () => {
  await expect(issue({ account: "nobody" })).rejects.toThrow("There is no account 'nobody'.");
});

test("an address with repeated failures gets 429, while valid tokens from it are accepted", async () => {
  // Failures are counted by the hour: the test begins with a quarter of it.
  const aheadMs = untilQuarterMs();
  const own = await serviceHarness({ ports: { now: () => new Date(Date.now() + aheadMs) } });
  const fail = () => plainRequest(own.url, { path: "/v2/agents" });
  for (let batch = 0; batch < 20; batch++) await Promise.all(Array.from({ length: 50 }, fail));
  const reply = await fail();
  expect(JSON.parse(reply.text)).toMatchObject({ code: 429, status: "TOO_MANY_REQUESTS" });
  expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
  expect(reply.headers["x-ratelimit-remaining"]).toBe("0");
  expect((await own.raw("GET", "/v2/agents")).status).toBe(200);
  await own.close();
});
