import { describe, expect, test } from "@jest/globals";
import { LIMITS } from "@parley/contract";
import { plainBytes, plainRequest, type PlainReply } from "../../plain-http.ts";
import { serviceHarness } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(serviceHarness);

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}
const send = ({ headers, ...sent }: Sent): Promise<PlainReply> =>
  plainRequest(w.url, { ...sent, headers: { authorization: `Bearer ${w.token}`, ...headers } });

const JSON_HEADERS = { "content-type": "application/json" };
const UNKNOWN_ID = "3d6f3f7e-0000-4000-8000-000000000000";
const post = (body: string | Buffer, headers: Sent["headers"] = JSON_HEADERS): Sent => ({
  method: "POST",
  path: "/v2/users",
  headers,
  body,
});

const REFUSALS: [string, Sent, number, string, RegExp][] = [
  ["an unknown address", { path: "/v2/nothing" }, 404, "NOT_FOUND", /\/docs/],
  ["an unknown address outside the API", { path: "/nothing" }, 404, "NOT_FOUND", /\/docs/],
  ["another version", { path: "/v3/users" }, 404, "NOT_FOUND", /\/docs/],
  ["a POST to an unknown address", { ...post("{}"), path: "/v2/nothing" }, 404, "NOT_FOUND", /\/docs/],
  ["an endless id", { path: `/v2/users/${"x".repeat(1025)}` }, 404, "NOT_FOUND", /\/docs/],
  ["a broken escape in the address", { path: "/v2/users/%zz" }, 400, "INVALID_VALUE", /address/],
  ["an id that is not an id", { path: "/v2/users/%2E%2E%2Fagents" }, 404, "USER_NOT_FOUND", /user/],
  ["an id with NUL", { path: "/v2/users/%00" }, 404, "USER_NOT_FOUND", /user/],
  [
    "a method that the address does not take",
    { method: "PATCH", path: "/v2/users" },
    405,
    "METHOD_NOT_ALLOWED",
    /Allow/,
  ],
  [
    "a method that only the hole takes",
    { ...post("{}"), method: "PUT", path: "/v2/conversations/fields" },
    405,
    "METHOD_NOT_ALLOWED",
    /Allow/,
  ],
  ["a text body", post("{}", { "content-type": "text/plain" }), 415, "UNSUPPORTED_MEDIA_TYPE", /application\/json/],
  [
    "a form",
    post("a=1", { "content-type": "application/x-www-form-urlencoded" }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    /JSON/,
  ],
  [
    "another charset",
    post("{}", { "content-type": "application/json; charset=utf-16" }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    /JSON/,
  ],
  ["a media type that is none", post("{}", { "content-type": "json" }), 415, "UNSUPPORTED_MEDIA_TYPE", /JSON/],
  ["a body that is too large", post(Buffer.alloc(LIMITS.body_bytes + 1, " ")), 413, "PAYLOAD_TOO_LARGE", /larger/],
  [
    "an unused body that is too large",
    { ...post(Buffer.alloc(LIMITS.body_bytes + 1, " ")), method: "DELETE", path: "/v2/users/nobody" },
    413,
    "PAYLOAD_TOO_LARGE",
    /larger/,
  ],
  ["broken JSON", post('{"a":'), 400, "INVALID_JSON", /not valid JSON/],
  ["broken UTF-8", post(Buffer.from([0x22, 0xff, 0x22])), 400, "INVALID_JSON", /UTF-8/],
  ["a member twice", post('{"email":"a","email":"b"}'), 400, "INVALID_JSON", /twice/],
  ["a text with NUL", post('{"email":"a\\u0000"}'), 400, "INVALID_VALUE", /NUL/],
  ["a reserved name", post('{"__proto__":{"a":1}}'), 400, "INVALID_VALUE", /__proto__ is reserved/],
  ["a reserved name in escapes", post('{"\\u005f_proto__":{}}'), 400, "INVALID_VALUE", /__proto__ is reserved/],
  [
    "a reserved name inside an unknown member",
    post('{"colour":[{"a":{"constructor":1}}]}'),
    400,
    "INVALID_VALUE",
    /constructor is reserved/,
  ],
  ["a reserved parameter", { path: "/v2/agents?__proto__=1" }, 400, "INVALID_VALUE", /__proto__ is reserved/],
  [
    "a reserved parameter where none is taken",
    { path: `/v2/users/${UNKNOWN_ID}?__proto__=1` },
    400,
    "INVALID_VALUE",
    /__proto__ is reserved/,
  ],
  ["no body where one is mandatory", post(""), 400, "MISSING_PARAMETER", /body/],
  ["no body and no type", { method: "POST", path: "/v2/users" }, 400, "MISSING_PARAMETER", /body/],
  ["an array for an object", post("[]"), 400, "INVALID_VALUE", /must be an object/],
  ["a parameter twice", { path: "/v2/agents?page=1&page=2" }, 400, "INVALID_VALUE", /page is given more than once/],
  ["a page before the first", { path: "/v2/agents?page=0" }, 400, "INVALID_VALUE", /page must be at least 1/],
  ["a page that is not a number", { path: "/v2/agents?page=one" }, 400, "INVALID_VALUE", /page must be an integer/],
  [
    "a page that no list has",
    { path: "/v2/agents?page=9007199254740991" },
    400,
    "INVALID_VALUE",
    /page must be at most 999999999999999$/,
  ],
  ["a page beyond numbers", { path: `/v2/agents?page=${"9".repeat(400)}` }, 400, "INVALID_VALUE", /must be at most/],
  ["a page of half a number", { path: "/v2/agents?page=1.5" }, 400, "INVALID_VALUE", /page must be an integer/],
  [
    "a boolean of other words",
    { path: "/v2/agents?is_deactivated=yes" },
    400,
    "INVALID_VALUE",
    /is_deactivated must be true or false/,
  ],
  [
    "an order of other words",
    { path: "/v2/agents?sort_order=up" },
    400,
    "INVALID_VALUE",
    /sort_order must be one of asc, desc/,
  ],
  [
    "a field that can't be sorted by",
    { path: "/v2/agents?sort_by=groups" },
    400,
    "INVALID_VALUE",
    /sort_by must be one of id, created_time/,
  ],
  ["a parameter with NUL", { path: "/v2/agents?groups=%00" }, 400, "INVALID_VALUE", /groups must not contain/],
  [
    "a time that is none",
    { path: "/v2/users?created_from=yesterday" },
    400,
    "INVALID_VALUE",
    /created_from must be a date and time/,
  ],
  [
    "a leap second",
    { path: "/v2/users?created_from=2016-12-31T23:59:60Z" },
    400,
    "INVALID_VALUE",
    /created_from must be a date/,
  ],
];

test.each(REFUSALS)("%s is refused in the common format", async (_, sent, code, status, message) => {
  const reply = await send(sent);
  expect(reply.status).toBe(code);
  expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
  const body = JSON.parse(reply.text) as { message: string };
  expect(body).toEqual({ code, status, message: expect.stringMatching(message) as unknown });
  for (const name of ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimitreset"])
    expect(reply.headers[name]).toMatch(/^\d+$/);
  expect(w.logLines).toEqual([]);
});

test("a refused method gets the list of permitted methods", async () => {
  const { headers } = await send({ method: "DELETE", path: "/v2/users" });
  expect(headers["allow"]?.split(", ").sort()).toEqual(["GET", "HEAD", "POST"]);
});

test("an unused body does not end the connection", async () => {
  const { headers } = await w.raw("POST", "/v2/users", { body: "{", headers: JSON_HEADERS });
  expect(headers.get("connection")).toBe("keep-alive");
});

const TOLERATED: [string, Sent, number][] = [
  ["a trailing slash", { path: "/v2/agents/" }, 200],
  ["an unknown parameter, even twice", { path: "/v2/agents?colour=red&colour=blue" }, 200],
  ["a GET with a body and its type", { path: "/v2/agents", headers: JSON_HEADERS, body: "{}" }, 200],
  ["a GET with a type of nothing", { path: "/v2/agents", headers: { "content-type": "application/json" } }, 200],
  [
    "a DELETE with a type and no body",
    { method: "DELETE", path: `/v2/users/${UNKNOWN_ID}`, headers: JSON_HEADERS },
    404,
  ],
  [
    "a DELETE with a body that is not JSON",
    { method: "DELETE", path: `/v2/users/${UNKNOWN_ID}`, headers: JSON_HEADERS, body: "{" },
    404,
  ],
  ["a body without a type", post("{}", {}), 201],
  ["a type with its charset", post("{}", { "content-type": 'application/json; charset="UTF-8"' }), 201],
  ["unknown members and nulls", post('{"colour":"red","email":null}'), 201],
  ["a page size far over the most", { path: "/v2/agents?items_per_page=9999" }, 200],
  ["a page size beyond numbers", { path: `/v2/agents?items_per_page=${"9".repeat(400)}` }, 200],
  ["a reserved name as a value", post('{"first_name":"__proto__"}'), 201],
  ["a page far beyond the end", { path: "/v2/agents?page=999999999999999" }, 200],
  ["HEAD where GET is", { method: "HEAD", path: "/v2/agents" }, 200],
];

test.each(TOLERATED)("%s is tolerated", async (_, sent, code) => {
  const { status } = await send(sent);
  expect(status).toBe(code);
});

test("HEAD has the headers of GET and no body", async () => {
  const [head, get] = await Promise.all(["HEAD", "GET"].map((method) => send({ method, path: "/v2/agents" })));
  expect(head?.text).toBe("");
  expect(head?.headers["content-length"]).toBe(String(Buffer.byteLength(get?.text ?? "")));
});

describe("bytes that are not a request", () => {
  const headerOf = (bytes: number) =>
    `GET /v2/users HTTP/1.1\r\nHost: localhost\r\nx-long: ${"x".repeat(bytes)}\r\n\r\n`;
  const bytes: [string, string, number, string][] = [
    ["no HTTP", "hello\r\n\r\n", 400, "MALFORMED_REQUEST"],
    ["headers without end", headerOf(100_000), 431, "HEADERS_TOO_LARGE"],
  ];
  test.each(bytes)("%s are refused in the common format", async (_, text, code, status) => {
    const reply = await plainBytes(w.url, text);
    expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
    expect(JSON.parse(reply.slice(reply.indexOf("\r\n\r\n")))).toMatchObject({ code, status });
  });
});

describe("paths that need no token", () => {
  test("/health answers ok while the database responds", async () => {
    const reply = await plainRequest(w.url, { path: "/health" });
    expect(reply).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  });
  test("/ redirects to the reference", async () => {
    const reply = await plainRequest(w.url, { path: "/" });
    expect(reply).toMatchObject({ status: 302, headers: { location: "/docs" } });
  });
});
