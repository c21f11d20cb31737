import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AccountDocument } from "@parley/contract";
import { plainRequest } from "../../plain-http.ts";
import { messengerHarness, PAGE, SCRIPT, type MessengerHarness } from "../messenger-harness.ts";

let s: MessengerHarness;
beforeAll(async () => {
  s = await messengerHarness();
});
afterAll(() => s.close());

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(s.url + path, { headers, redirect: "manual" });

describe("the script", () => {
  test.each(["br", "gzip", "identity"])("is sent with the encoding %s", async (encoding) => {
    const reply = await get("/js/widget.js", { "accept-encoding": encoding });
    expect([reply.status, reply.headers.get("content-encoding") ?? "identity", await reply.text()]).toEqual([
      200,
      encoding,
      SCRIPT,
    ]);
    expect(reply.headers.get("vary")).toBe("Accept-Encoding");
  });

  test("can be loaded and cached by every site, for a short time", async () => {
    const { headers } = await get("/js/widget.js");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "cache-control": expect.stringMatching(/^public, max-age=300\b/),
      "x-content-type-options": "nosniff",
    });
  });

  test("is not sent again to a browser that has it", async () => {
    const tag = (await get("/js/widget.js")).headers.get("etag") ?? "";
    for (const encoding of ["br", "gzip"]) {
      const reply = await get("/js/widget.js", { "if-none-match": `"other", ${tag}`, "accept-encoding": encoding });
      expect([reply.status, await reply.text()]).toEqual([304, ""]);
    }
    expect((await get("/js/widget.js", { "if-none-match": '"other"' })).status).toBe(200);
  });

  test.each([
    ["/12/345.js", 200],
    ["/1/2.js?chat=true", 200],
    ["/12/345.map", 404],
    ["/a/345.js", 404],
    ["/12/b.js", 404],
    ["/12/34/5.js", 404],
    ["/1234567890123456/5.js", 404],
  ])("at the address %s: %i", async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });
});

describe("the page in the frame", () => {
  const setOrigins = async (origins: readonly string[]) => {
    const document: AccountDocument = { name: "acme", messenger: { origins: [...origins] } };
    expect((await s.adminRequest("PUT", "/admin/accounts/acme", document)).code).toBe(200);
  };
  const policyOf = async (path: string, host?: string) => {
    const { status, headers, text } = await plainRequest(s.url, { path, ...(host && { headers: { host } }) });
    expect([status, text]).toEqual([200, PAGE]);
    return headers["content-security-policy"] ?? "";
  };

  test("loads nothing inline and nothing from other hosts but pictures and videos", async () => {
    const policy = await policyOf("/messenger?account=acme");
    expect(policy).not.toMatch(/unsafe|\*/);
    for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"])
      expect(policy.split("; ")).toContain(rule);
  });

  test("without a list of origins it names no ancestors, so that files can embed it", async () => {
    expect(await policyOf("/messenger?account=acme")).not.toContain("frame-ancestors");
  });

  test("with a list of origins it names them and its own, by the account of the host or of the address", async () => {
    await setOrigins(["https://*.shop.example", "https://shop.example"]);
    const rule = "frame-ancestors 'self' https://*.shop.example https://shop.example";
    expect(await policyOf("/messenger?account=acme")).toContain(rule);
    expect(await policyOf("/messenger", "acme.parley.localhost:80")).toContain(rule);
    // The host counts more than the address.
    expect(await policyOf("/messenger?account=solo", "acme.parley.localhost")).toContain(rule);
    expect(await policyOf("/messenger?account=solo")).not.toContain("frame-ancestors");
    await setOrigins([]);
  });

  test("an unknown account has no page", async () => {
    expect((await get("/messenger?account=none")).status).toBe(404);
    expect((await plainRequest(s.url, { path: "/messenger", headers: { host: "none.parley.localhost" } })).status).toBe(
      404,
    );
  });

  test("its files are cached for ever", async () => {
    const reply = await get("/messenger/assets/panel-1a2b.js");
    expect([reply.status, reply.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
  });
});
