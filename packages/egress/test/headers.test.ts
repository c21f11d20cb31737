import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Egress } from "../src/index.ts";
import { egress } from "../src/index.ts";
import { failureOf, sendRequest } from "./egress-requests.ts";
import type { LocalServer } from "./local-server.ts";
import { startLocalServer } from "./local-server.ts";

let server: LocalServer;
let guarded: Egress;
const url = "https://acme.example/path";
beforeAll(async () => {
  server = await startLocalServer((_request, out) => {
    out.setHeader("Set-Cookie", ["a=1", "b=2"]);
    out.setHeader("__proto__", "plain");
    out.end();
  });
  guarded = egress({ hosts: new Map([["acme.example", { origin: server.origin }]]) });
});
afterAll(async () => {
  await guarded.close();
  await server.close();
});

const receivedWith = async (headers: Record<string, string>) => {
  await sendRequest(guarded, { method: "POST", url, headers, body: "body" });
  return server.received.at(-1);
};

describe("Of a caller's headers", () => {
  test.each([
    ["Host", "evil.example"],
    ["Connection", "x-secret"],
    ["Content-Length", "3"],
    ["Transfer-Encoding", "chunked"],
    ["Upgrade", "websocket"],
    ["HTTP2-Settings", "AAMAAABkAAQAAP__"],
    ["Proxy-Authorization", "Basic eA=="],
    ["Proxy-Connection", "close"],
    ["TE", "trailers"],
    ["Trailer", "x-end"],
    ["Keep-Alive", "timeout=600"],
    ["Expect", "100-continue"],
    ["Accept-Encoding", "gzip"],
  ])("%s is omitted", async (name, value) => {
    const received = await receivedWith({ [name]: value, Accept: "application/json" });
    expect(Object.values(received?.headers ?? {})).not.toContain(value);
    expect(received).toMatchObject({ body: "body", headers: { host: "acme.example", accept: "application/json" } });
  });

  test("those for the receiver are sent unchanged", async () => {
    const received = await receivedWith({ Authorization: "Bearer key", "X-Name": "", "Content-Type": "text/plain" });
    expect(received?.headers).toMatchObject({
      authorization: "Bearer key",
      "x-name": "",
      "content-type": "text/plain",
    });
  });

  test("two spellings of one name are merged", async () => {
    const received = await receivedWith({ "X-Name": "first", "x-name": "second" });
    expect(received?.headers["x-name"]).toBe("second");
  });

  test.each([
    ["X-Name", "a\r\nInjected: yes"],
    ["X-Name", "a\nInjected: yes"],
    ["X-Name", "a\r"],
    ["X-Name", "a\0b"],
    ["X-Name", "\u0100"],
    ["X-Name", "嘊嘍Injected: yes"],
    ["X-Name\r\nInjected", "yes"],
    ["X-Name: a", "yes"],
    ["X Name", "yes"],
    ["", "yes"],
    ["Host", "a\r\nInjected: yes"],
  ])("%j with the value %j is refused", async (name, value) => {
    const before = server.received.length;
    const refusal = await failureOf(guarded, { url, headers: { [name]: value } });
    expect(refusal).toMatchObject({ code: 400, reason: "HEADER_DISALLOWED", attempts: 0 });
    expect(`${refusal.message}${refusal.stack}`).not.toContain("Injected");
    expect(server.received).toHaveLength(before);
  });

  test("any value arrives in its own header, or is refused", async () => {
    const value = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constantFrom("a\r\nx-in: 1", "\t a \t"));
    await fc.assert(
      fc.asyncProperty(value, async (text) => {
        const names = ["host", "accept-encoding", "connection", "content-length", "x-any"];
        const received = await receivedWith({ "x-any": text }).catch((error: unknown) => {
          expect(error).toMatchObject({ reason: "HEADER_DISALLOWED" });
        });
        if (!received) return;
        expect(Object.keys(received.headers).sort()).toEqual([...names].sort());
        expect(received.headers["x-any"]).toBe(text.replace(/^[ \t]+|[ \t]+$/g, ""));
      }),
      { numRuns: 200 },
    );
  });
});

test("A response's repeated headers are joined, and no header name reaches the prototype", async () => {
  const { headers } = await sendRequest(guarded, { url });
  expect(headers["set-cookie"]).toBe("a=1, b=2");
  expect(Object.entries(headers)).toContainEqual(["__proto__", "plain"]);
  expect(Object.getPrototypeOf(headers)).toBe(Object.prototype);
});
