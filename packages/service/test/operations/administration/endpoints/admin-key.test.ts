import { identity, rowsOf } from "@parley/contract";
import { describe, expect, test } from "@jest/globals";
import { serviceHarness } from "../../../service-harness.ts";
import { ADMIN_ROWS, requestLineOf, ADMIN_KEY, adminHarness } from "./admin-harness.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

const w = fileFixture(adminHarness);
const closed = fileFixture(() => serviceHarness({ database: w.database }));

const rows = ADMIN_ROWS.map((row) => [row.route, row] as const);

describe("the admin API refuses requests without the admin key", () => {
  const wrong: [string, string][] = [
    ["none", ""],
    ["another", "parley_admin_of-another-test"],
    ["its beginning", ADMIN_KEY.slice(0, -1)],
    ["more than it", `${ADMIN_KEY}x`],
  ];
  describe.each(rows)("%s", (_, row) => {
    const { method, path } = requestLineOf(row);
    test.each(wrong)("with the wrong key: %s", async (_title, key) => {
      const { code, body } = await w.adminRequest(method, path, undefined, key);
      expect([code, body.status]).toEqual([401, "UNAUTHENTICATED"]);
      expect(body.message).toContain("admin-key");
    });
    test("with a token of an account that has every permission", async () => {
      expect(await w.adminRequest(method, path, undefined, w.token)).toMatchObject({ code: 401 });
    });
    test("with 404 if no admin key is configured", async () => {
      const reply = await closed.raw(method, path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
      expect([reply.status, ((await reply.json()) as { status: string }).status]).toEqual([404, "NOT_FOUND"]);
    });
  });
});

test("the admin key is refused by the API", async () => {
  expect(await w.adminRequest("GET", "/v2/agents")).toMatchObject({ code: 401, body: { status: "UNAUTHENTICATED" } });
});

test("wrong keys count against their address, and the right key is accepted from it nevertheless", async () => {
  const own = await adminHarness();
  const fail = () => own.raw("GET", "/admin/status", { headers: { authorization: "Bearer wrong" } });
  for (let batch = 0; batch < 20; batch++) await Promise.all(Array.from({ length: 50 }, fail));
  const reply = await fail();
  expect(reply.status).toBe(429);
  expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await own.adminRequest("GET", "/admin/status")).code).toBe(200);
  await own.close();
});

test("every response has the rate limit of its address", async () => {
  const reply = await w.raw("GET", "/admin/status", { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  expect(reply.headers.get("x-ratelimit-limit")).toBe("1000");
});

test("the API's OpenAPI document omits the admin API, which has its own", async () => {
  const api = (await (await w.raw("GET", "/v2/openapi.json")).json()) as { paths: object };
  expect(Object.keys(api.paths).filter((path) => path.startsWith("/admin"))).toEqual([]);
  const own = (await (await fetch(`${w.url}/admin/openapi.json`)).json()) as { paths: Record<string, object> };
  const routes = Object.entries(own.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const identityRows = rowsOf(identity).map(({ row }) => row);
  expect(routes.sort()).toEqual([...ADMIN_ROWS, ...identityRows].map(({ route }) => route).sort());
  expect((await closed.raw("GET", "/admin/openapi.json")).status).toBe(404);
});

describe("a malformed request is refused as in the API", () => {
  const cases: [string, string, string, unknown, number, string][] = [
    ["another method", "PATCH", "/admin/accounts", {}, 405, "METHOD_NOT_ALLOWED"],
    ["an address that is none", "GET", "/admin/nothing", undefined, 404, "NOT_FOUND"],
    ["the bare path", "GET", "/admin", undefined, 404, "NOT_FOUND"],
    ["broken JSON", "PUT", "/admin/accounts/acme", "{", 400, "INVALID_JSON"],
    ["no body", "PUT", "/admin/accounts/acme", undefined, 400, "MISSING_PARAMETER"],
    ["a list for a body", "PUT", "/admin/accounts/acme", [], 400, "INVALID_VALUE"],
    ["the character NUL", "POST", "/admin/accounts/acme/tokens", { name: "a\0b" }, 400, "INVALID_VALUE"],
    ["a body beyond the limit", "PUT", "/admin/accounts/acme", `"${"x".repeat(1_100_000)}"`, 413, "PAYLOAD_TOO_LARGE"],
    ["a flag that is none", "PUT", "/admin/accounts/acme?dry_run=yes", { name: "acme" }, 400, "INVALID_VALUE"],
    ["a page that is none", "GET", "/admin/accounts?page=0", undefined, 400, "INVALID_VALUE"],
    ["an order that is none", "GET", "/admin/accounts?sort_order=up", undefined, 400, "INVALID_VALUE"],
  ];
  test.each(cases)("%s", async (_, method, path, body, code, status) => {
    const response = await w.adminRequest(method, path, body);
    expect([response.code, response.body.status]).toEqual([code, status]);
  });

  test("a media type other than JSON", async () => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "text/plain" };
    expect((await w.raw("PUT", "/admin/accounts/acme", { headers, body: "name: acme" })).status).toBe(415);
  });
});
