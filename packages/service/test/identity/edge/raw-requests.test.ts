import { describe, expect, test } from "@jest/globals";
import { LIMITS } from "@parley/contract";
import { plainBytes } from "../../plain-http.ts";
import { serviceHarness } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(() => serviceHarness({ requestTimeouts: { requestMs: 300, checkIntervalMs: 50 } }));

interface RawResponse {
  readonly code: number;
  /** In their original spelling. */
  readonly names: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Parses the responses on one connection, by their Content-Length. */
const answersIn = (text: string): RawResponse[] => {
  const responses: RawResponse[] = [];
  let rest = text;
  while (rest) {
    const end = rest.indexOf("\r\n\r\n");
    const [first = "", ...lines] = rest.slice(0, end).split("\r\n");
    const pairs = lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)] as const);
    const headers = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), value]));
    const code = Number(first.split(" ")[1]);
    const length = code === 100 ? 0 : Number(headers["content-length"]);
    responses.push({ code, names: pairs.map(([name]) => name), headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return responses;
};

const say = async (bytes: string): Promise<RawResponse[]> => answersIn(await plainBytes(w.url, bytes));
const head = (line: string, ...headers: string[]) =>
  [line, "Host: localhost", `Authorization: Bearer ${w.token}`, ...headers, "", ""].join("\r\n");
const last = (line: string, ...headers: string[]) => head(line, "Connection: close", ...headers);
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const JSON_TYPE = "Content-Type: application/json";

const SPELLED = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimitReset"];

describe("every response spells the three headers as the specification does:", () => {
  const cases: [string, number, () => string][] = [
    ["200", 200, () => last("GET /v2/agents HTTP/1.1")],
    ["201", 201, () => `${last("POST /v2/users HTTP/1.1", JSON_TYPE, "Content-Length: 2")}{}`],
    ["HEAD", 200, () => last("HEAD /v2/agents HTTP/1.1").replace("HEAD", "GET")],
    ["400", 400, () => last("GET /v2/agents?page=0 HTTP/1.1")],
    ["401", 401, () => "GET /v2/agents HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"],
    ["403", 403, () => last("GET /v2/agents HTTP/1.1").replace("Host: localhost", "Host: solo.parley.localhost")],
    ["404", 404, () => last("GET /nothing HTTP/1.1")],
    ["405", 405, () => last("PATCH /v2/users HTTP/1.1")],
    ["415", 415, () => `${last("POST /v2/users HTTP/1.1", "Content-Type: text/xml", "Content-Length: 2")}{}`],
    ["/", 302, () => last("GET / HTTP/1.1")],
    ["/health", 200, () => last("GET /health HTTP/1.1")],
    ["/docs", 200, () => last("GET /docs HTTP/1.1")],
    ["/docs/errors", 200, () => last("GET /docs/errors HTTP/1.1")],
    ["an address that nobody signed", 403, () => last("GET /objects/a/b HTTP/1.1")],
    [
      "a callback without a signature",
      401,
      () => last("POST /outbound-callbacks/chatapp HTTP/1.1", "Content-Length: 0"),
    ],
    ["the API's document", 200, () => last("GET /v2/openapi.json HTTP/1.1")],
    ["a broken escape", 400, () => last("GET /v2/users/%zz HTTP/1.1")],
    ["an endless id", 404, () => last(`GET /v2/users/${"x".repeat(2000)} HTTP/1.1`)],
    ["no HTTP", 400, () => "hello\r\n\r\n"],
    ["headers without end", 431, () => last("GET /v2/agents HTTP/1.1", `x-long: ${"x".repeat(100_000)}`)],
    ["CONNECT", 405, () => "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n"],
  ];
  test.each(cases)("%s", async (_, code, bytes) => {
    const [response] = await say(bytes());
    expect(response?.code).toBe(code);
    for (const name of SPELLED) {
      expect(response?.names.filter((each) => each.toLowerCase() === name.toLowerCase())).toEqual([name]);
      expect(response?.headers[name.toLowerCase()]).toMatch(/^\d+$/);
    }
  });
});

describe("a request that only raw bytes can express is refused in the common format:", () => {
  const cases: [string, number, string, () => string][] = [
    ["no Host", 400, "MALFORMED_REQUEST", () => "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ...["a--b.localhost, a--c.localhost", "a b", "a:99999", "[::1", "a/b", "a@b", ""].map(
      (host): [string, number, string, () => string] => [
        `the Host ${JSON.stringify(host)}`,
        400,
        "MALFORMED_REQUEST",
        () => `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      ],
    ),
    ["no Host at an unknown address", 400, "MALFORMED_REQUEST", () => "GET /x HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["another protocol", 400, "MALFORMED_REQUEST", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["a method that is none", 400, "MALFORMED_REQUEST", () => last("FETCH /v2/agents HTTP/1.1")],
    ["a space in the address", 400, "MALFORMED_REQUEST", () => last("GET /v2/a b HTTP/1.1")],
    [
      "two lengths",
      400,
      "MALFORMED_REQUEST",
      () => last("POST /v2/users HTTP/1.1", "Content-Length: 2", "Content-Length: 3"),
    ],
    [
      "a length and chunks",
      400,
      "MALFORMED_REQUEST",
      () => last("POST /v2/users HTTP/1.1", "Content-Length: 2", "Transfer-Encoding: chunked"),
    ],
    ["a length that is none", 400, "MALFORMED_REQUEST", () => last("POST /v2/users HTTP/1.1", "Content-Length: -1")],
    [
      "broken chunks",
      400,
      "MALFORMED_REQUEST",
      () => `${last("POST /v2/users HTTP/1.1", "Transfer-Encoding: chunked")}zz\r\n`,
    ],
    ["CONNECT", 405, "METHOD_NOT_ALLOWED", () => "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n"],
    ["TRACE", 405, "METHOD_NOT_ALLOWED", () => last("TRACE /v2/agents HTTP/1.1")],
    ["TRACE at an open address", 405, "METHOD_NOT_ALLOWED", () => last("TRACE /health HTTP/1.1")],
    [
      "a method of another protocol at an object",
      405,
      "METHOD_NOT_ALLOWED",
      () => last("PROPFIND /objects/a HTTP/1.1"),
    ],
    ["a method of another protocol", 405, "METHOD_NOT_ALLOWED", () => last("PROPFIND /v2/users/1 HTTP/1.1")],
    ["the same at an unknown address", 404, "NOT_FOUND", () => last("PROPFIND /v2/nothing HTTP/1.1")],
    ["OPTIONS of the whole server", 405, "METHOD_NOT_ALLOWED", () => last("OPTIONS * HTTP/1.1")],
    ["a full address in the line", 404, "NOT_FOUND", () => last("GET http://other.example/x HTTP/1.1")],
    [
      "an expectation that can't be met",
      417,
      "EXPECTATION_FAILED",
      () => last("GET /v2/agents HTTP/1.1", "Expect: coffee"),
    ],
    [
      "a body larger than the most, by its length",
      413,
      "PAYLOAD_TOO_LARGE",
      () => last("POST /v2/users HTTP/1.1", JSON_TYPE, `Content-Length: ${LIMITS.body_bytes + 1}`),
    ],
    [
      "a body larger than the most, in chunks",
      413,
      "PAYLOAD_TOO_LARGE",
      () =>
        last("POST /v2/users HTTP/1.1", JSON_TYPE, "Transfer-Encoding: chunked") +
        chunked(`"${" ".repeat(LIMITS.body_bytes)}"`),
    ],
    [
      "a length that no number holds",
      413,
      "PAYLOAD_TOO_LARGE",
      () => last("POST /v2/users HTTP/1.1", JSON_TYPE, "Content-Length: 9007199254740993"),
    ],
    [
      "a body shorter than its Content-Length",
      408,
      "REQUEST_TIMEOUT",
      () => `${last("POST /v2/users HTTP/1.1", JSON_TYPE, "Content-Length: 100")}{"email":`,
    ],
    ["headers that never end", 408, "REQUEST_TIMEOUT", () => "GET /v2/agents HTTP/1.1\r\nHost: localhost\r\n"],
    [
      "a body longer than its Content-Length",
      400,
      "MALFORMED_REQUEST",
      () => `${last("POST /v2/users HTTP/1.1", JSON_TYPE, "Content-Length: 1")}{}`,
    ],
    ["an upgrade to an unknown address", 404, "NOT_FOUND", () => last("GET /ws HTTP/1.1", "Upgrade: websocket")],
  ];
  test.each(cases)("%s", async (_, code, status, bytes) => {
    const [response] = await say(bytes());
    expect(response?.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(JSON.parse(response?.body ?? "")).toEqual({ code, status, message: expect.any(String) as unknown });
    expect(response?.code).toBe(code);
    if (code === 405) expect(response?.headers["allow"]).toMatch(/GET/);
    expect(w.logLines).toEqual([]);
  });
});

describe("an unusual but valid request is answered:", () => {
  test("HTTP/1.0 without a Host header", async () => {
    const [response] = await say(`GET /v2/agents HTTP/1.0\r\nAuthorization: Bearer ${w.token}\r\n\r\n`);
    expect(response?.code).toBe(200);
  });

  test("two pipelined requests, in their order, the second after a refusal", async () => {
    const responses = await say(head("GET /v2/agents?page=0 HTTP/1.1") + last("GET /v2/roles HTTP/1.1"));
    expect(responses.map(({ code }) => code)).toEqual([400, 200]);
  });

  test("a body with Expect: 100-continue", async () => {
    const responses = await say(
      `${last("POST /v2/users HTTP/1.1", JSON_TYPE, "Content-Length: 2", "Expect: 100-continue")}{}`,
    );
    expect(responses.map(({ code }) => code)).toEqual([100, 201]);
  });

  test("a chunked body", async () => {
    const [response] = await say(
      last("POST /v2/users HTTP/1.1", JSON_TYPE, "Transfer-Encoding: chunked") + chunked("{}"),
    );
    expect(response?.code).toBe(201);
  });

  test("an absolute URL in the request line", async () => {
    const [response] = await say(last("GET http://localhost/v2/agents?page=1 HTTP/1.1"));
    expect(response?.code).toBe(200);
    expect(JSON.parse(response?.body ?? "")).toMatchObject({
      links: { first_page: { href: "/v2/agents?page=1&items_per_page=10" } },
    });
  });
});
