import { request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";

/** Sends strings that break databases, parsers and objects to every route of the app host. No response is a server error. */

const ADMIN = { authorization: "Bearer the-author-of-the-app" };
let fixture: AppFixture;
let pageToken: string;
let frontToken: string;
beforeAll(async () => {
  const secret = `whsec_${Buffer.from("x".repeat(32)).toString("base64")}`;
  fixture = await appFixture(
    {
      server: `exports = { onExternal: (args) => args, answer: (args) => renderData(null, args) };`,
      common: {
        events: { onExternalEvent: { handler: "onExternal" } },
        functions: { answer: {} },
        requests: { ask: {} },
      },
      requests: { ask: { schema: { method: "GET", host: "api.example", path: "/<%= context.x %>" } } },
      iparams: {
        note: { display_name: "Note", type: "text" },
        list: { display_name: "List", type: "multiselect", options: ["a"] },
      },
      files: { "app/index.html": "<!doctype html>", "app/a.js": "1" },
    },
    { eventSecret: () => secret },
  );
  await fixture.install({ note: "a" });
  const tokenIn = async (path: string) => {
    const page = await (await fetch(fixture.host.url + path)).text();
    return /"token":"([^"]+)"/.exec(page.replaceAll("&quot;", '"'))?.[1] ?? "";
  };
  [pageToken, frontToken] = [await tokenIn("/custom_configs"), await tokenIn("/")];
});
afterAll(() => fixture.close());

const sendRequest = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(fixture.host.url);
    const sent = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      let text = "";
      answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on("error", reject).end(body);
  });

const PIECES = [
  "%00",
  "a%00b",
  "%ED%A0%80",
  "%C0%AF",
  "%ff",
  "%",
  "%zz",
  "__proto__",
  "constructor",
  "..%2f..%2fetc",
  "%2e%2e",
  "x".repeat(5_000),
  "9".repeat(400),
  "-1",
  "1e999",
  "%F0%9F%98%80",
  "%E2%80%AE",
  "'%22%3C%3E%5C",
  "a;b=c",
];
const PATHS = [
  "/",
  "/app/",
  "/front/",
  "/custom_configs/",
  "/custom_configs/own/",
  "/oauth/",
  "/auth/callback/",
  "/targets/",
  "/admin/invocations/",
  "/admin/",
  "/admin/schedules/",
];
const QUERIES = [
  "/auth/callback?code=X&state=X&error=X",
  "/oauth/a/authorize?agent=X",
  "/admin/invocations?limit=X",
  "/admin/invocations?handler=X&event=X",
  "/admin/invocations?kind=X",
  "/admin/invocations?source=X&since=X",
  "/admin/invocations?X=X",
  "/custom_configs?X=X",
  "/?X=X",
];

describe("no path and no query causes a server error:", () => {
  test.each(PIECES.map((piece) => [piece.slice(0, 30), piece]))("%s", async (_title, piece) => {
    const addresses = [
      ...PATHS.map((path) => path + piece),
      ...PATHS.map((path) => `${path}${piece}/replay`),
      ...QUERIES.map((path) => path.replaceAll("X", piece)),
    ];
    const faults: string[] = [];
    for (const address of addresses)
      for (const method of ["GET", "POST", "DELETE"]) {
        const { status, text } = await sendRequest(method, address, address.startsWith("/admin") ? ADMIN : {});
        if (status >= 500 || status === 0)
          faults.push(`${method} ${address.slice(0, 80)} ${status} ${text.slice(0, 200)}`);
      }
    expect(faults).toEqual([]);
  });
});

const TEXTS: unknown[] = [
  "\0",
  "a\0b",
  "\ud800",
  "\udfff a",
  "x".repeat(300_000),
  "__proto__",
  "constructor",
  "9".repeat(400),
  1e308,
  -1,
  2 ** 53,
  null,
  true,
  [],
  {},
  [["\0"]],
  { "\0": "\ud800" },
  { "\ud800": 1 },
];
/** `X` stands for the hostile string. The last element is the expected error field of a 200 response that reports a failure. */
const BODIES: readonly (readonly [string, () => Record<string, string>, object])[] = [
  ...[
    { question: { of: "data.get", name: "X" } },
    { question: { of: "iparams.get", key: "X" } },
    { question: { of: "db.get", key: "X" } },
    { question: { of: "db.set", key: "X", value: { a: 1 } } },
    { question: { of: "db.set", key: "k", value: { a: "X" } } },
    { question: { of: "db.set", key: "k", value: "X" } },
    { question: { of: "db.set", key: "k", value: { a: 1 }, options: "X" } },
    { question: { of: "db.update", key: "k", action: "set", attributes: { a: "X" } } },
    { question: { of: "db.update", key: "X", action: "X", attributes: "X" } },
    { question: { of: "db.delete", key: "X" } },
    { question: { of: "request.invokeTemplate", name: "X", options: {} } },
    { question: { of: "request.invokeTemplate", name: "ask", options: { context: { x: "X" } } } },
    { question: { of: "request.fetch", method: "get", url: "X", options: {} } },
    { question: { of: "request.invoke", name: "X", args: {} } },
    { question: { of: "request.invoke", name: "answer", args: { a: "X" } } },
    { question: { of: "data.get", name: "conversation" }, conversation: "X", agent: "X" },
  ].map((body) => ["/front/call", () => ({ "x-page-token": frontToken }), body] as const),
  ["/front/look", () => ({ "x-page-token": frontToken }), { conversation: "X", agent: "X" }],
  ["/front/send", () => ({ "x-page-token": frontToken }), { conversation: "X", agent: "X", text: "X" }],
  [
    "/front/change",
    () => ({ "x-page-token": frontToken }),
    { conversation: "X", agent: "X", status: "X", assign: "X" },
  ],
  ["/custom_configs/check", () => ({ "x-page-token": pageToken }), { key: "X", value: "X" }],
  ["/custom_configs/check", () => ({ "x-page-token": pageToken }), { key: "note", value: "X" }],
  [
    "/custom_configs/save",
    () => ({ "x-page-token": pageToken }),
    { values: { note: "X", list: "X" }, attributes: { note: "X" } },
  ],
  [
    "/custom_configs/save",
    () => ({ "x-page-token": pageToken }),
    { values: { note: "X" }, attributes: {}, basis: { form: "X", kept: "X" } },
  ],
  ["/custom_configs/save", () => ({ "x-page-token": pageToken }), { values: { note: "X" }, attributes: {} }],
  [
    "/custom_configs/request",
    () => ({ "x-page-token": pageToken }),
    { values: { note: "X" }, question: { name: "ask", options: { context: { x: "X" } } } },
  ],
  [
    "/custom_configs/request",
    () => ({ "x-page-token": pageToken }),
    { values: {}, question: { method: "get", url: "X" } },
  ],
  ["/admin/events", () => ADMIN, { event: "X", payload: { a: "X" } }],
  ["/admin/events", () => ADMIN, { event: "onExternalEvent", payload: { a: "X" } }],
  ["/admin/functions", () => ADMIN, { name: "X", args: { a: "X" } }],
  ["/admin/functions", () => ADMIN, { name: "answer", args: { a: "X" } }],
  ["/admin/install", () => ADMIN, { values: { note: "X" } }],
  ["/admin/install", () => ADMIN, { values: "X" }],
  ["/targets/nobody", () => ({}), { a: "X" }],
  ["/events", () => ({}), { a: "X" }],
];

describe("no body causes a server error:", () => {
  test.each(TEXTS.map((text) => [JSON.stringify(text).replaceAll("\\", "/").slice(0, 30), text]))(
    "%s",
    async (_title, text) => {
      const faults: string[] = [];
      for (const [path, headers, body] of BODIES) {
        const written = JSON.stringify(body).replaceAll('"X"', () => JSON.stringify(text));
        const answer = await sendRequest("POST", path, { ...headers(), "content-type": "application/json" }, written);
        const failed = answer.status >= 500 || answer.status === 0 || /"status":500\b/.test(answer.text);
        if (failed) faults.push(`${path} ${written.slice(0, 120)} -> ${answer.status} ${answer.text.slice(0, 200)}`);
      }
      expect(faults).toEqual([]);
    },
  );

  test.each([
    "{",
    "[",
    '{"a":1e99999}',
    '{"__proto__":{"a":1}}',
    "\0",
    "[".repeat(100_000),
    `{"a":${"9".repeat(10_000)}}`,
    "",
  ])("invalid JSON: %s", async (body) => {
    for (const [path, headers] of BODIES)
      expect(
        (await sendRequest("POST", path, { ...headers(), "content-type": "application/json" }, body)).status,
      ).toBeLessThan(500);
  });
});

test("no header causes a server error", async () => {
  const { hostname, port } = new URL(fixture.host.url);
  const values = [
    "\u00ff\u00fe",
    "x".repeat(10_000),
    "__proto__",
    "Bearer \u0001",
    "parley_oauth=%00",
    "%00",
    "a\tb",
    "'\"<>",
  ];
  const names = [
    "Authorization",
    "Cookie",
    "Origin",
    "X-Page-Token",
    "Content-Type",
    "Sec-Fetch-Site",
    "Host",
    "Content-Length",
    "Webhook-Id",
    "Webhook-Timestamp",
    "Webhook-Signature",
    "__proto__",
  ];
  const faults: string[] = [];
  for (const name of names)
    for (const value of values)
      for (const line of [
        "GET /",
        "POST /front/call",
        "POST /events",
        "GET /admin/app",
        "GET /auth/callback",
        "POST /targets/a",
      ]) {
        const text = await new Promise<string>((resolve) => {
          let all = "";
          const socket = connect(Number(port), hostname, () => {
            const host = name === "Host" ? "" : "Host: localhost\r\n";
            const length = name === "Content-Length" ? "" : "Content-Length: 2\r\n";
            socket.write(
              Buffer.from(
                `${line} HTTP/1.1\r\n${host}${length}${name}: ${value}\r\nConnection: close\r\n\r\n{}`,
                "latin1",
              ),
            );
          });
          socket.on("data", (chunk: Buffer) => (all += chunk.toString()));
          socket.on("close", () => resolve(all)).on("error", () => undefined);
          socket.setTimeout(3_000, () => socket.destroy());
        });
        if (/^HTTP\/1\.1 5/.test(text)) faults.push(`${line} ${name}: ${value.slice(0, 20)} -> ${text.slice(0, 200)}`);
      }
  expect(faults).toEqual([]);
});
