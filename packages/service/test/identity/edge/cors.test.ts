import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { adminHarness, ADMIN_KEY, type AdminHarness } from "../../operations/administration/endpoints/admin-harness.ts";
import { plainRequest, type PlainReply } from "../../plain-http.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

const ORIGIN = "https://app.example.com";
const FOREIGN_ORIGIN = "https://evil.example.com";
const PREFLIGHT = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" };

const corsOf = ({ headers }: PlainReply): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("access-control-")));

describe("with a list of origins", () => {
  let w: AdminHarness;
  beforeAll(async () => {
    w = await adminHarness({ config: { corsOrigins: [ORIGIN, "http://localhost:3000"] } });
  });
  afterAll(() => w.close());

  const ask = (path: string, { origin = ORIGIN, method = "GET", token = w.token, headers = {} } = {}) =>
    plainRequest(w.url, { path, method, headers: { origin, authorization: `Bearer ${token}`, ...headers } });

  test.each([ORIGIN, "http://localhost:3000"])(
    "a page of %s may read responses, and no other page may",
    async (origin) => {
      const reply = await ask("/v2/agents", { origin });
      expect([reply.status, reply.headers["access-control-allow-origin"], reply.headers["vary"]]).toEqual([
        200,
        origin,
        "Origin",
      ]);
      expect(reply.headers["access-control-expose-headers"]).toContain("X-RateLimit-Remaining");
      expect(reply.headers["content-type"]).toMatch(/^application\/json/);
      expect(reply.headers["x-ratelimit-limit"]).toBe("1000000");
    },
  );

  test.each([
    FOREIGN_ORIGIN,
    "null",
    "https://app.example.com.evil.example",
    "http://app.example.com",
    `${ORIGIN}:8443`,
  ])("a page of %s gets no CORS headers", async (origin) => {
    const reply = await ask("/v2/agents", { origin });
    expect([reply.status, corsOf(reply), reply.headers["vary"]]).toEqual([200, {}, "Origin"]);
    const preflight = await ask("/v2/agents", { origin, method: "OPTIONS", headers: PREFLIGHT });
    expect([preflight.status, corsOf(preflight)]).toEqual([405, {}]);
  });

  test.each(["/v2/users", "/suite/acme/v2/users", "/v2/conversations/1/messages", "/v2/nothing"])(
    "a preflight request of %s is answered without a token",
    async (path) => {
      const headers = { origin: ORIGIN, ...PREFLIGHT };
      const reply = await plainRequest(w.url, { path, method: "OPTIONS", headers });
      expect(reply.status).toBe(204);
      expect(corsOf(reply)).toMatchObject({
        "access-control-allow-origin": ORIGIN,
        "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
        "access-control-max-age": "600",
      });
      expect(reply.headers["access-control-allow-headers"]?.split(", ")).toEqual(
        expect.arrayContaining(["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID"]),
      );
    },
  );

  test("refusals are readable too", async () => {
    for (const [path, token, code] of [
      ["/v2/agents", "none", 401],
      ["/v2/users", w.token, 400],
      ["/v2/nothing", w.token, 404],
    ] as const) {
      const reply = await ask(path, { token });
      expect([reply.status, reply.headers["access-control-allow-origin"]]).toEqual([code, ORIGIN]);
    }
    expect((await ask("/v2/users")).headers["vary"]).toContain("Origin");
  });

  test("cookies are never allowed", async () => {
    const headers = { ...PREFLIGHT, cookie: "a=1" };
    for (const method of ["GET", "OPTIONS"])
      expect(await ask("/v2/agents", { method, headers })).not.toHaveProperty([
        "headers",
        "access-control-allow-credentials",
      ]);
  });

  test.each(["/admin/accounts", "/health", "/docs", "/openapi.json"])("%s has no CORS headers", async (path) => {
    expect(corsOf(await ask(path, { token: ADMIN_KEY }))).toEqual({});
    expect((await ask(path, { method: "OPTIONS", headers: PREFLIGHT })).status).not.toBe(204);
  });
});

describe("without a list of origins", () => {
  let w: ServiceHarness;
  beforeAll(async () => {
    w = await serviceHarness();
  });
  afterAll(() => w.close());

  test("no response has CORS headers, and a preflight request is refused", async () => {
    const headers = { origin: ORIGIN, authorization: `Bearer ${w.token}`, ...PREFLIGHT };
    const get = await plainRequest(w.url, { path: "/v2/agents", headers });
    const preflight = await plainRequest(w.url, { path: "/v2/agents", method: "OPTIONS", headers });
    expect([get.status, corsOf(get), preflight.status, corsOf(preflight)]).toEqual([200, {}, 405, {}]);
  });
});
