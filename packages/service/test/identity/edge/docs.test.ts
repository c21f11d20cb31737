import { describe, expect, test } from "@jest/globals";
import { api, openapi, rowsOf } from "@parley/contract";
import { plainRequest } from "../../plain-http.ts";
import { serviceHarness } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(serviceHarness);

const get = (path: string) => plainRequest(w.url, { path });

test("the OpenAPI document needs no token, contains every endpoint, and names this service as its server", async () => {
  const reply = await get("/v2/openapi.json");
  expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
  const document = JSON.parse(reply.text) as { servers: object; paths: Record<string, object> };
  expect(document).toEqual(JSON.parse(JSON.stringify(openapi("/v2"))));
  expect(document.servers).toEqual([{ url: "/v2" }]);
  for (const { row } of rowsOf(api)) {
    const [method, path] = row.route.split(" ") as [string, string];
    expect(document.paths[path]).toHaveProperty(method.toLowerCase());
  }
});

describe("the reference", () => {
  test.each(["/docs", "/docs/"])("at %s is a page whose policy permits no external resources", async (path) => {
    const { status, headers } = await get(path);
    expect(status).toBe(200);
    expect(headers["content-type"]).toMatch(/^text\/html/);
    const policy = headers["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  test("consists of files of this service only, all of which exist", async () => {
    const { text } = await get("/docs");
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? "");
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) {
      expect(link).toMatch(/^\/(docs|v2)\//);
      expect((await get(link)).status).toBe(200);
    }
    expect(text).not.toMatch(/<script>|<style|style="/);
  });

  test("has a script and a style without external requests", async () => {
    for (const path of ["/docs/docs.js", "/docs/docs.css"]) expect((await get(path)).text).not.toMatch(/https?:|"\/\//);
  });

  test.each(["/docs/package.json", "/docs/swagger-ui.js.map", "/docs/..%2f..%2fpackage.json", "/docs/../service.ts"])(
    "does not serve %s",
    async (path) => {
      const { status, text } = await get(path);
      expect([status, (JSON.parse(text) as { status: string }).status]).toEqual([404, "NOT_FOUND"]);
    },
  );

  test("has the rate-limit headers of its address, as every response", async () => {
    expect((await get("/docs")).headers).toMatchObject({ "x-ratelimit-limit": "1000" });
  });
});
