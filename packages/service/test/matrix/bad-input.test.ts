import { beforeAll, describe, expect, test } from "@jest/globals";
import { LIMITS, problemsOf, routeOf, type Endpoint } from "@parley/contract";
import Type from "typebox";
import { Check } from "typebox/value";
import { invalidValues, invalidQueries } from "./invalid-values.ts";
import { ENDPOINTS, endpointHarness, UNKNOWN_ID, type EndpointRequest } from "./endpoint-harness.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

let before: Record<string, string>;
const s = fileFixture(endpointHarness);
beforeAll(async () => {
  before = await s.tableChecksums();
});

interface Case {
  readonly title: string;
  readonly asked: EndpointRequest;
  readonly status: string;
}

/** Sends each case; every response has the expected status, is documented, and nothing changes. */
const refuseAll = async (row: Endpoint, cases: readonly Case[]) => {
  const documented = problemsOf(row).map(({ status }) => status);
  for (const { title, asked, status } of cases) {
    const response = await s.sendRequest(row, asked);
    expect([title, response.status, response.message]).toEqual([title, status, expect.stringMatching(/\w/)]);
    expect(documented).toContain(response.status);
    expect([title, response.code]).toEqual([title, problemsOf(row).find((each) => each.status === status)?.code]);
  }
  expect(await s.tableChecksums()).toEqual(before);
  expect(s.logLines).toEqual([]);
};
const rightOf = (route: string) => s.validRequests.get(route) ?? {};

test("every endpoint with a body has a valid request, from which the invalid requests are made", () => {
  const missing = ENDPOINTS.filter(([route, { body }]) => body && !Check(body, rightOf(route).body));
  expect(missing.map(([route]) => route)).toEqual([]);
});

test("every endpoint with a query has a request that its schema accepts", () => {
  const missing = ENDPOINTS.filter(([route, { query }]) => query && !Check(query, rightOf(route).query ?? {}));
  expect(missing.map(([route]) => route)).toEqual([]);
});

describe("a body that violates its schema is refused, and changes nothing:", () => {
  const rows = ENDPOINTS.filter(([, row]) => row.body);
  test.each(rows)("%s", async (route, row) => {
    const { body } = rightOf(route);
    const cases = invalidValues(row.body ?? Type.Object({}), body).map(({ title, value, status }) => ({
      title,
      asked: { body: JSON.stringify(value) },
      status,
    }));
    expect(cases.length).toBeGreaterThan(3);
    await refuseAll(row, cases);
  });
});

describe("an unreadable body is refused, and changes nothing:", () => {
  const json = { "content-type": "application/json" };
  const BODIES: [string, Omit<EndpointRequest, "params">, string][] = [
    ["none", {}, "MISSING_PARAMETER"],
    ["an empty one", { body: "" }, "MISSING_PARAMETER"],
    ["null", { body: "null" }, "INVALID_VALUE"],
    ["a number", { body: "7" }, "INVALID_VALUE"],
    ["broken JSON", { body: '{"a":' }, "INVALID_JSON"],
    ["broken UTF-8", { body: Buffer.from([0x7b, 0xff, 0x7d]) }, "INVALID_JSON"],
    ["a member twice", { body: '{"a":1,"a":2}' }, "INVALID_JSON"],
    ["a text", { body: "{}", headers: { "content-type": "text/plain" } }, "UNSUPPORTED_MEDIA_TYPE"],
    [
      "a form",
      { body: "a=1", headers: { "content-type": "application/x-www-form-urlencoded" } },
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    [
      "a form with parts",
      { body: "--x--", headers: { "content-type": "multipart/form-data; boundary=x" } },
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    ["a packed one", { body: "{}", headers: { ...json, "content-encoding": "gzip" } }, "UNSUPPORTED_MEDIA_TYPE"],
    ["one that is too large", { body: Buffer.alloc(LIMITS.body_bytes + 1, " ") }, "PAYLOAD_TOO_LARGE"],
  ];
  test.each(ENDPOINTS.filter(([, row]) => row.body))("%s", async (_, row) => {
    await refuseAll(
      row,
      BODIES.map(([title, asked, status]) => ({ title, asked, status })),
    );
  });
});

describe("a malformed form is refused, and changes nothing:", () => {
  const FORMS: [string, Omit<EndpointRequest, "params">, string][] = [
    ["JSON", { body: "{}" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["a text", { body: "x", headers: { "content-type": "text/plain" } }, "UNSUPPORTED_MEDIA_TYPE"],
  ];
  test.each(ENDPOINTS.filter(([, row]) => row.upload))("%s", async (_, row) => {
    await refuseAll(
      row,
      FORMS.map(([title, asked, status]) => ({ title, asked, status })),
    );
  });
});

describe("a query that violates its schema is refused:", () => {
  test.each(ENDPOINTS.filter(([, row]) => row.query))("%s", async (route, row) => {
    const { query = {}, body } = rightOf(route);
    const cases = invalidQueries(row.query ?? Type.Object({}), query as Record<string, string>).map(
      ({ title, value, status }) => ({ title, asked: { query: value, body }, status }),
    );
    await refuseAll(row, cases);
  });
});

describe("an unknown or malformed id is 404:", () => {
  const IDS = [
    "none",
    "%00",
    "%2e%2e%2f",
    "0",
    "-1",
    "null",
    "undefined",
    "%27%20or%201=1",
    "%F0%9F%98%80",
    UNKNOWN_ID,
    "x".repeat(1024),
  ];
  const rows = ENDPOINTS.filter(([route]) => route.includes("{"));
  test.each(rows)("%s", async (route, row) => {
    const right = rightOf(route);
    const found = new Set<string>();
    for (const id of IDS) {
      const params = Object.fromEntries(Object.keys(s.existingIds).map((hole) => [hole, id]));
      const response = await s.sendRequest(row, { ...right, params });
      expect([id, response.code]).toEqual([id, 404]);
      found.add(response.status);
    }
    expect(found.size).toBe(1);
    expect(row.problems?.map(({ status }) => status)).toContain([...found][0]);
    expect(await s.tableChecksums()).toEqual(before);
    expect(s.logLines).toEqual([]);
  });
});

describe("a method that the path does not support is 405, with the supported ones:", () => {
  const paths = [...new Set(ENDPOINTS.map(([, row]) => routeOf(row).path))];
  test.each(paths)("%s", async (path) => {
    const supported: string[] = ENDPOINTS.map(([, row]) => routeOf(row))
      .filter((each) => each.path === path)
      .map(({ method }) => method);
    const allowed = supported.includes("GET") ? [...supported, "HEAD"] : supported;
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter(
      (each) => !supported.includes(each),
    )) {
      const reply = await s.raw(method, `/v2${path.replace(/\{\w+\}/g, UNKNOWN_ID)}`);
      expect([method, reply.status, await reply.json()]).toMatchObject([method, 405, { status: "METHOD_NOT_ALLOWED" }]);
      expect(reply.headers.get("allow")?.split(", ").sort()).toEqual(allowed.sort());
    }
    expect(await s.tableChecksums()).toEqual(before);
  });
});

test("each request of these tests is accepted without its fault", async () => {
  for (const [route, right] of s.validRequests) {
    const row = ENDPOINTS.find(([each]) => each === route)?.[1] as Endpoint;
    const response = await s.sendRequest(row, right);
    // The account has no such template: all earlier checks passed.
    const expected = route.includes("{provider}") ? "TEMPLATE_NOT_FOUND" : String(row.reply.code);
    expect([route, response.status || String(response.code), response.message]).toEqual([
      route,
      expected,
      expect.anything(),
    ]);
  }
});

describe("a parameter without a value counts as absent, and keywords in lists are accepted in any case:", () => {
  const rows = ENDPOINTS.filter(([route, row]) => route.startsWith("GET ") && row.query !== undefined);
  interface Parameters {
    readonly properties?: Readonly<Record<string, { readonly enum?: readonly string[] }>>;
  }
  test.each(rows)("%s", async (route, row) => {
    const { properties = {} } = row.query as Parameters;
    const input = (rightOf(route).query ?? {}) as Readonly<Record<string, string>>;
    const usual = await s.sendRequest(row, { query: input });
    expect(usual.code).toBe(row.reply.code);
    for (const [name, { enum: words = [] }] of Object.entries(properties)) {
      const { [name]: _, ...others } = input;
      const empty = await s.sendRequest(row, { query: { ...others, [name]: "" } });
      const absent = await s.sendRequest(row, { query: others });
      expect([name, empty.code, empty.status]).toEqual([name, absent.code, absent.status]);
      for (const word of words.filter((each) => /^[a-z_]+$/i.test(each))) {
        const loud = await s.sendRequest(row, { query: { ...input, [name]: word.toUpperCase() } });
        const quiet = await s.sendRequest(row, { query: { ...input, [name]: word.toLowerCase() } });
        expect([name, loud.code, loud.status]).toEqual([name, quiet.code, quiet.status]);
      }
    }
  });
});
