import { describe, expect, test } from "@jest/globals";
import * as contract from "@parley/contract";
import { gzipSync } from "node:zlib";
import { prefersProblem } from "../../../src/identity/edge/error-reply.ts";
import { plainRequest } from "../../plain-http.ts";
import { serviceHarness } from "../../service-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const w = fileFixture(serviceHarness);

const JSON_HEADERS = { "content-type": "application/json" };
const get = (path: string, accept?: string) =>
  plainRequest(w.url, { path, headers: { authorization: `Bearer ${w.token}`, ...(accept && { accept }) } });
const post = (path: string, body: string | Buffer, headers: object = {}) =>
  plainRequest(w.url, {
    method: "POST",
    path,
    headers: { authorization: `Bearer ${w.token}`, ...JSON_HEADERS, ...headers },
    body,
  });

describe("a suspicious body", () => {
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
  const cases: [string, string | Buffer, object, number, string][] = [
    ["a packed body", gzipSync("{}"), { "content-encoding": "gzip" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["an unknown packing", "{}", { "content-encoding": "zebra" }, 415, "UNSUPPORTED_MEDIA_TYPE"],
    ["nested arrays", deep("[", "]"), {}, 400, "INVALID_VALUE"],
    ["nested objects", `{"a":`.repeat(100_000) + "1" + "}".repeat(100_000), {}, 400, "INVALID_VALUE"],
    ["nested arrays without end", "[".repeat(100_000), {}, 400, "INVALID_JSON"],
    ["half a character", '{"first_name":"\\ud83d"}', {}, 400, "INVALID_VALUE"],
    ["the other half", '{"properties":[{"name":"\\ude00","value":""}]}', {}, 400, "INVALID_VALUE"],
    ["half a character in a name", '{"\\ud83d":1}', {}, 400, "INVALID_VALUE"],
    ["half a character in bytes", Buffer.from('{"a":"\xed\xa0\xbd"}', "latin1"), {}, 400, "INVALID_JSON"],
    ["a number without bounds for a text", `{"first_name":1e400}`, {}, 400, "INVALID_VALUE"],
    ["a number of many digits for a text", `{"first_name":${"9".repeat(10_000)}}`, {}, 400, "INVALID_VALUE"],
    ["a number that JSON does not know", '{"first_name":NaN}', {}, 400, "INVALID_JSON"],
    ["a member of the prototype, twice", '{"__proto__":1,"__proto__":2}', {}, 400, "INVALID_JSON"],
    ["a member of the prototype", '{"__proto__":{"admin":true}}', {}, 400, "INVALID_VALUE"],
    ["a member of the constructor", '{"constructor":{"prototype":{"admin":true}}}', {}, 400, "INVALID_VALUE"],
    ["a mark before the text, twice", "\ufeff\ufeff{}", {}, 400, "INVALID_JSON"],
    ["two values", "{}{}", {}, 400, "INVALID_JSON"],
    ["a text in UTF-16", Buffer.from("{}", "utf16le"), {}, 400, "INVALID_JSON"],
    ["spaces only", "   ", {}, 400, "INVALID_JSON"],
  ];
  test.each(cases)("%s is refused", async (_, body, headers, code, status) => {
    const reply = await post("/v2/users", body, headers);
    expect([reply.status, JSON.parse(reply.text)]).toEqual([
      code,
      { code, status, message: expect.any(String) as unknown },
    ]);
    expect(w.logLines).toEqual([]);
  });

  const right: [string, string, object][] = [
    ["a whole character in escapes", '{"first_name":"\\ud83d\\ude00"}', {}],
    ["a mark before the text", "\ufeff{}", {}],
    ["no packing, said in words", "{}", { "content-encoding": "identity" }],
  ];
  test.each(right)("%s is accepted", async (_, body, headers) => {
    expect((await post("/v2/users", body, headers)).status).toBe(201);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });
});

describe("a suspicious path", () => {
  const cases: [string, number, string][] = [
    ["/v2/users/%", 400, "INVALID_VALUE"],
    ["/v2/users/%ff", 400, "INVALID_VALUE"],
    ["/v2/users/%ed%a0%bd", 400, "INVALID_VALUE"],
    ["/v2/users//conversations", 404, "USER_NOT_FOUND"],
    ["/v2//users", 404, "NOT_FOUND"],
    ["//v2/users", 404, "NOT_FOUND"],
    ["/v2/./users", 404, "NOT_FOUND"],
    ["/v2/../v2/users", 404, "NOT_FOUND"],
    ["/v2/%75sers?page=0", 400, "INVALID_VALUE"],
    ["/V2/users", 404, "NOT_FOUND"],
    ["/v2/users;page=1", 404, "NOT_FOUND"],
    [`/v2/users/${"%41".repeat(600)}`, 404, "USER_NOT_FOUND"],
    [`/v2/users/${"a".repeat(15_000)}`, 404, "NOT_FOUND"],
    ["/v2/users?first_name=%00", 400, "INVALID_VALUE"],
    ["/v2/users?first_name=%ff", 400, "INVALID_VALUE"],
    ["/v2/users?first_name=%zz", 400, "INVALID_VALUE"],
    ["/v2/users?first_name=a&first_name=b", 400, "INVALID_VALUE"],
    ["/v2/users?first_name[]=a", 400, "MISSING_PARAMETER"],
    ["/v2/users?__proto__=a", 400, "INVALID_VALUE"],
    ["/v2/users?", 400, "MISSING_PARAMETER"],
    ["/v2/agents?page=1e3", 400, "INVALID_VALUE"],
    ["/v2/agents?page=9007199254740993", 400, "INVALID_VALUE"],
    ["/v2/agents?page=%31%00", 400, "INVALID_VALUE"],
  ];
  test.each(cases)("%s gets %i %s", async (path, code, status) => {
    const reply = await get(path);
    expect([reply.status, (JSON.parse(reply.text) as { status: string }).status]).toEqual([code, status]);
    expect(w.logLines).toEqual([]);
  });
});

describe("the format of RFC 9457", () => {
  const RANGES: [string, boolean][] = [
    ["application/problem+json", true],
    ["Application/Problem+JSON; q=0.5", true],
    ["application/json, application/problem+json", true],
    ["application/problem+json, application/json;q=0.9", true],
    ["application/problem+json;q=0.9, application/json", false],
    ["application/problem+json;q=0", false],
    ["application/problem+json;q=2", false],
    ["application/problem+json;q=x", false],
    ["application/json", false],
    ["application/problem+xml", false],
    ["*/*", false],
    ["application/*", false],
    ["text/html, application/problem+json;q=0.1", true],
    ["", false],
  ];
  test.each(RANGES)("Accept: %s", (accept, expected) => {
    expect(prefersProblem(accept)).toBe(expected);
  });

  test.each([
    ["/v2/conversations/1/message", "/v2/conversations/{conversation_id}/messages"],
    ["/v2/business_hours", "/v2/business-hours/within-bh"],
    ["/v2/business_hours/within_bh", "/v2/business-hours/within-bh"],
    ["/v2/business_hour/within_b", "/v2/business-hours/within-bh"],
    ["/v2/BUSINESS_HOURS/WITHIN_BH", "/v2/business-hours/within-bh"],
    ["/v2/user", "/v2/users"],
    ["/v2/Channel?locale=de", "/v2/channels"],
    ["/v2/report/raw", "/v2/reports/raw"],
    ["/groups", "/v2/groups"],
    ["/v2/agents/1/status", undefined],
    ["/v2/tickets", undefined],
    ["/v2", undefined],
  ])("GET %s: NOT_FOUND names the closest address of the reference, if one is close", async (path, expected) => {
    const { status, text } = await get(path, "application/json");
    const closest = expected === undefined ? "" : ` The closest one in the API reference at /docs is ${expected}.`;
    const rest = expected === undefined ? " The API reference at /docs lists the addresses." : closest;
    expect([status, JSON.parse(text)]).toEqual([
      404,
      { code: 404, status: "NOT_FOUND", message: `There is nothing at this address.${rest}` },
    ]);
  });

  test("a word for a list in the place of an id is named, with the address of the list; other unknown ids are not explained", async () => {
    const messageOf = async (path: string) =>
      (JSON.parse((await get(path, "application/json")).text) as { message: string }).message;
    expect(await messageOf("/v2/agents/list")).toBe(
      "agent not found: 'list' stands in the place of {agent_id} in /v2/agents/{agent_id}: GET /v2/agents is the list",
    );
    expect(await messageOf("/v2/conversations/search/messages")).toBe(
      "conversation not found: 'search' stands in the place of {conversation_id} in /v2/conversations/{conversation_id}/messages",
    );
    for (const id of ["00000000-0000-4000-8000-000000000000", "12", "nobody"])
      expect(await messageOf(`/v2/agents/${id}`)).toBe("agent not found");
  });

  test("has the token in code, and a link to its section", async () => {
    const reply = await get("/v2/users/none", "application/problem+json");
    expect(reply.status).toBe(404);
    expect(reply.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
    expect(reply.headers["vary"]).toBe("Accept");
    expect(JSON.parse(reply.text)).toEqual({
      type: "/docs/errors#USER_NOT_FOUND",
      title: "user not found",
      status: 404,
      detail: "user not found",
      code: "USER_NOT_FOUND",
      message: "user not found",
    });
  });

  test("has the specific error in detail, and keeps additional members", async () => {
    const at = "/v2/conversations/3d6f3f7e-0000-4000-8000-000000000000/messages";
    const reply = await post(
      at,
      '{"actor_type":"bot","message_parts":[{"video":{"url":"x","content_type":"y"}}],"reply_parts":[{"text":{"content":"z"}}]}',
      {
        accept: "application/problem+json",
      },
    );
    const body = JSON.parse(reply.text) as Record<string, unknown>;
    expect(body).toMatchObject({ status: reply.status, type: `/docs/errors#${String(body["code"])}` });
    if (body["error_category"] !== undefined) expect(body["error_code"]).toBe(reply.status);
    const other = JSON.parse((await get("/v2/agents?page=0", "application/problem+json")).text) as object;
    expect(other).toMatchObject({ title: "A value is not valid.", detail: "page must be at least 1" });
  });

  test("is used for errors only", async () => {
    const reply = await get("/v2/agents", "application/problem+json");
    expect(reply.headers["content-type"]).toBe("application/json; charset=utf-8");
  });
});

describe("the table of errors", () => {
  const table = contract.errorTable();

  test("contains every problem of the contract once, with its remedy and its endpoints", () => {
    const tokens = table.map(({ problem }) => problem.status);
    expect(new Set(tokens).size).toBe(tokens.length);
    const isProblem = (value: unknown): value is contract.Problem =>
      typeof value === "object" && value !== null && "status" in value && "code" in value && "message" in value;
    const all = Object.values(contract as Record<string, unknown>).filter(isProblem);
    expect(all.map(({ status }) => status).filter((status) => !tokens.includes(status))).toEqual([]);
    for (const { remedy, where } of table) {
      expect(remedy.length).toBeGreaterThan(10);
      expect(where.length).toBeGreaterThan(0);
    }
  });

  test("is served as a page in which each token has a section, and every link a target", async () => {
    const { status, headers, text } = await get("/docs/errors");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(text).not.toMatch(/<script|<style|style="/);
    const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    for (const { problem } of table) expect(ids).toContain(problem.status);
    for (const [, target] of text.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
    for (const [, link] of text.matchAll(/(?:href|src)="(\/[^"]*)"/g)) expect((await get(link ?? "")).status).toBe(200);
  });
});

test("a 429 states the waiting time in every field that clients read", async () => {
  const own = await serviceHarness({
    callsPerHour: 1,
    ports: { now: () => new Date(Date.UTC(2026, 4, 1, 10, 59, 0)) },
  });
  const first = await own.raw("GET", "/v2/roles");
  expect([first.status, first.headers.get("ratelimit")]).toEqual([200, null]);
  const { status, headers } = await own.raw("GET", "/v2/roles");
  expect(status).toBe(429);
  expect(Object.fromEntries(headers)).toMatchObject({
    "retry-after": "60",
    ratelimit: '"hour";r=0;t=60',
    "ratelimit-policy": '"hour";q=1;w=3600',
    "x-ratelimit-limit": "1",
    "x-ratelimit-remaining": "0",
    "x-ratelimitreset": "60",
  });
  await own.close();
});
