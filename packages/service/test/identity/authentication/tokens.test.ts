import { describe, expect, test } from "@jest/globals";
import { PERMISSIONS, type AccessToken } from "@parley/contract";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { adminHarness } from "../../operations/administration/endpoints/admin-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const clock = { ahead: 0 };
const w = fileFixture(() => adminHarness({ ports: { now: () => new Date(Date.now() + clock.ahead) } }));

interface CreatedToken {
  id: string;
  token: string;
  name: string;
  permissions: string[];
  expires_time: string;
}

const path = "/admin/accounts/acme/tokens";
const create = (body: unknown) => w.adminRequest<CreatedToken>("POST", path, body);
const list = async (query = "") =>
  (await w.adminRequest<{ tokens: AccessToken[]; pagination: { total_items: number } }>("GET", path + query)).body;
const status = async (token: string, address = "/v2/agents") =>
  (await w.raw("GET", address, { headers: { authorization: `Bearer ${token}` } })).status;

const DAY_MS = 86_400_000;

describe("POST /admin/accounts/{account}/tokens 201", () => {
  test("creates a token for the account, which is shown once", async () => {
    const { code, body } = await create({ name: "script" });
    expect(code).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      token: expect.stringMatching(/^parley_[\w-]{43}$/),
      name: "script",
      permissions: PERMISSIONS,
      expires_time: expect.any(String),
    });
    expect(Date.parse(body.expires_time) - Date.now() - 365 * DAY_MS).toBeLessThan(60_000);
    expect(await status(body.token)).toBe(200);
    const shown = JSON.stringify(await list("?items_per_page=100"));
    expect(shown).toContain(body.id);
    expect(shown).not.toContain(body.token);
    expect(shown).not.toContain("hash");
  });
  test("with permissions: a refusal names the missing permission", async () => {
    const { body } = await create({ name: "reader", permissions: ["agent:read", "agent:read"] });
    expect(body.permissions).toEqual(["agent:read"]);
    expect(await status(body.token)).toBe(200);
    const reply = await w.raw("GET", "/v2/groups", { headers: { authorization: `Bearer ${body.token}` } });
    expect([reply.status, await reply.json()]).toEqual([
      403,
      { code: 403, status: "FORBIDDEN", message: "The access token does not have the permission group:read." },
    ]);
  });
  test("with a lifetime in seconds, after which it is refused", async () => {
    const { body } = await create({ name: "short", expires_in_seconds: 60 });
    expect(await status(body.token)).toBe(200);
    clock.ahead = 61_000;
    expect(await status(body.token)).toBe(401);
    clock.ahead = 0;
  });
  test("with an expiry time, after which it is refused", async () => {
    const expires_time = new Date(Date.now() + DAY_MS).toISOString();
    const { body } = await create({ name: "until", expires_time });
    expect(body.expires_time).toBe(expires_time);
    clock.ahead = DAY_MS - 5_000;
    expect(await status(body.token)).toBe(200);
    clock.ahead = DAY_MS + 5_000;
    expect(await status(body.token)).toBe(401);
    clock.ahead = 0;
  });
});

test("GET /admin/accounts/{account}/tokens 200 says to the minute when a token was last used", async () => {
  const { body } = await create({ name: "used" });
  const lastUse = async () =>
    (await list("?items_per_page=100")).tokens.find(({ id }) => id === body.id)?.last_used_time;
  const useAt = async (ahead: number) => {
    clock.ahead = ahead;
    w.expireCaches();
    expect(await status(body.token)).toBe(200);
  };
  expect(await lastUse()).toBeUndefined();
  await useAt(0);
  await waitUntil(async () => (await lastUse()) !== undefined);
  const first = await lastUse();
  expect(Math.abs(Date.parse(first ?? "") - Date.now())).toBeLessThan(60_000);
  await useAt(30_000);
  await useAt(90_000);
  await waitUntil(async () => (await lastUse()) !== first);
  const later = Date.parse((await lastUse()) ?? "") - Date.parse(first ?? "");
  expect(later).toBeGreaterThan(60_000);
  clock.ahead = 0;
});

describe("POST /admin/accounts/{account}/tokens refuses", () => {
  const future = "2099-01-01T00:00:00.000Z";
  const cases: [string, unknown, string, RegExp][] = [
    ["no name", {}, "MISSING_PARAMETER", /^name is mandatory/],
    ["an empty name", { name: "" }, "INVALID_VALUE", /^name must not be empty/],
    ["a blank name", { name: " \u200b" }, "INVALID_VALUE", /^name must not be blank/],
    ["a name too long", { name: "x".repeat(256) }, "INVALID_VALUE", /^name must have at most 255/],
    ["a name that is none", { name: 7 }, "INVALID_VALUE", /^name must be a string/],
    ["no permission at all", { name: "a", permissions: [] }, "INVALID_VALUE", /^permissions must have at least 1/],
    [
      "a permission that is none",
      { name: "a", permissions: ["agent:*"] },
      "INVALID_VALUE",
      /^permissions\[0\] must be one of account:read, user:read/,
    ],
    [
      "permissions that are not a list",
      { name: "a", permissions: "agent:read" },
      "INVALID_VALUE",
      /^permissions must be an array/,
    ],
    ["no time", { name: "a", expires_in_seconds: 0 }, "INVALID_VALUE", /^expires_in_seconds must be at least 1/],
    [
      "more than ten years",
      { name: "a", expires_in_seconds: 315_360_001 },
      "INVALID_VALUE",
      /^expires_in_seconds must be at most/,
    ],
    [
      "a past time",
      { name: "a", expires_time: "2020-01-01T00:00:00.000Z" },
      "INVALID_VALUE",
      /^expires_time must lie in the future/,
    ],
    ["a time too far", { name: "a", expires_time: future }, "INVALID_VALUE", /^expires_time must lie within ten years/],
    ["a time that is none", { name: "a", expires_time: "soon" }, "INVALID_VALUE", /^expires_time must be a date/],
    ["two ends", { name: "a", expires_time: future, expires_in_seconds: 5 }, "INVALID_VALUE", /give one of them/],
  ];
  test.each(cases)("%s", async (_, body, token, message) => {
    const before = (await list()).pagination.total_items;
    const response = await create(body);
    expect([response.code, response.body.status, response.body.message]).toEqual([
      400,
      token,
      expect.stringMatching(message),
    ]);
    expect((await list()).pagination.total_items).toBe(before);
  });
  test("an error about an unknown permission lists all permissions", async () => {
    const { body } = await create({ name: "a", permissions: ["nothing"] });
    for (const permission of PERMISSIONS) expect(body.message).toContain(permission);
  });
});

test.each(["POST", "GET"])("%s …/tokens 404 ACCOUNT_NOT_FOUND", async (method) => {
  const body = method === "POST" ? { name: "a" } : undefined;
  const response = await w.adminRequest(method, "/admin/accounts/nobody/tokens", body);
  expect([response.code, response.body.status]).toEqual([404, "ACCOUNT_NOT_FOUND"]);
});
// The test of documented responses matches whole words of titles.
test("POST /admin/accounts/{account}/tokens 404 ACCOUNT_NOT_FOUND: also for an account's number", async () => {
  expect((await w.adminRequest("POST", "/admin/accounts/1001/tokens", { name: "a" })).code).toBe(404);
});
test("GET /admin/accounts/{account}/tokens 404 ACCOUNT_NOT_FOUND: also for an account's number", async () => {
  expect((await w.adminRequest("GET", "/admin/accounts/1001/tokens")).code).toBe(404);
});

describe("GET /admin/accounts/{account}/tokens 200", () => {
  test("lists the account's tokens in pages, newest first", async () => {
    for (const name of ["first", "second", "third"]) await create({ name });
    const page = await list("?items_per_page=2");
    expect(page.tokens.map(({ name }) => name)).toEqual(["third", "second"]);
    expect((await list("?items_per_page=2&page=2")).tokens[0]?.name).toBe("first");
    expect(Object.keys(page.tokens[0] ?? {}).sort()).toEqual(
      ["id", "name", "permissions", "created_time", "expires_time"].sort(),
    );
    const solo = await w.adminRequest<{ tokens: AccessToken[] }>("GET", "/admin/accounts/solo/tokens");
    expect(solo.body.tokens.map(({ name }) => name)).toEqual(["test"]);
  });
  test("a page beyond the end is empty", async () => {
    expect((await list("?page=999999999")).tokens).toEqual([]);
  });
});

describe("DELETE /admin/tokens/{token_id} 200", () => {
  test("a token is refused within a second, even if it is in constant use", async () => {
    const { body } = await create({ name: "leaked" });
    expect(await status(body.token)).toBe(200);
    const { code, body: revoked } = await w.adminRequest<AccessToken>("DELETE", `/admin/tokens/${body.id}`);
    expect([code, revoked.id, revoked.revoked_time]).toEqual([200, body.id, expect.any(String)]);
    w.expireCaches();
    expect(await status(body.token)).toBe(401);
    expect((await list()).tokens.find(({ id }) => id === body.id)).toEqual(revoked);
  });
  test("a repeated request changes nothing", async () => {
    const { body } = await create({ name: "twice" });
    const first = await w.adminRequest<AccessToken>("DELETE", `/admin/tokens/${body.id}`);
    expect(await w.adminRequest<AccessToken>("DELETE", `/admin/tokens/${body.id.toUpperCase()}`)).toEqual(first);
  });
});

test.each(["none", "01890000-0000-7000-8000-000000000001", "x".repeat(900), "%00"])(
  "DELETE /admin/tokens/{token_id} 404 TOKEN_NOT_FOUND: %#",
  async (id) => {
    expect(await w.adminRequest("DELETE", `/admin/tokens/${id}`)).toMatchObject({
      code: 404,
      body: { status: "TOKEN_NOT_FOUND" },
    });
  },
);
