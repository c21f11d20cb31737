import { beforeEach, describe, expect, test } from "@jest/globals";
import type { RequestTemplate } from "@parley/contract";
import type { TemplateCall } from "../../src/request/request-method.ts";
import { DOMAIN, failureOf, installation, requestFixture, SECRET } from "./request-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

const USUAL = { status: 200, headers: { "content-type": "application/json" }, body: '{"ok":true}' };

const fixture = fileFixture(requestFixture);
beforeEach(() => {
  fixture.received.length = 0;
  fixture.answer = USUAL;
});

type Schema = Partial<RequestTemplate["schema"]>;
const invoke = (
  schema: Schema,
  options: TemplateCall["options"] = {},
  more: Partial<TemplateCall> & { sending?: RequestTemplate["options"] } = {},
) => {
  const { sending, ...call } = more;
  const one = {
    schema: { method: "GET" as const, host: "api.example", ...schema },
    ...(sending ? { options: sending } : {}),
  };
  const method = fixture.method({ requests: { one } });
  return method.invokeTemplate({ name: "one", options, origin: "server", installation, ...call });
};
const header = (text: string) => ({ headers: { "X-It": text } });
const sent = () => fixture.received[0]?.headers["x-it"];
const substitution = "Error while substituting the templates:";

describe("a template's host", () => {
  test.each([
    ["a name", "api.example", "api.example"],
    ["a parameter", "<%= iparam.host %>", "own.example"],
    ["a URL without a path", "https://api.example", "api.example"],
    ["the account's URL", "<%= current_host.endpoint_urls.freshchat %>", DOMAIN],
    ["context of the server", "<%= context.host %>", "ctx.example"],
  ])("may be %s", async (_title, host, reached) => {
    await invoke({ host }, { context: { host: "ctx.example" } });
    expect(fixture.received[0]?.headers.host).toBe(reached);
  });

  test.each([
    ["http://api.example", 400, "Invalid URL - Must be HTTPS"],
    ["10.0.0.1", 400, "Invalid URL - IP is disallowed"],
    ["localhost", 400, "Invalid URL - Must be FQDN"],
    ["api.example.", 400, "Invalid URL - Must be FQDN"],
    ["api.example/x", 400, "Invalid URL - Must be FQDN"],
    ["a@api.example", 400, "Invalid URL - Must be FQDN"],
    ["<%= iparam.api_key %>", 400, `${substitution} iparam.api_key is secure: it may stand in headers only`],
    ["<%= context.gone %>", 400, `${substitution} context.gone has no value`],
  ])("may not be %s", async (host, status, response) => {
    expect(await failureOf(invoke({ host }))).toMatchObject({ status, response, attempts: 0, errorSource: "APP" });
    expect(fixture.received).toEqual([]);
  });
});

describe("a path that begins with a placeholder", () => {
  const PATH = "<%= context.path %>";
  test.each([
    [PATH, "/v2/users?page=1", "/v2/users?page=1"],
    [`${PATH}/x`, "/v2", "/v2/x"],
    [`${PATH}/x`, "", "/x"],
    [PATH, "/", "/"],
    ["<%= iparam.gone || context.path %>", "/a b/ü#x", "/a%20b/%C3%BC%23x"],
    // Within the path these are ordinary characters.
    [PATH, "/@evil.example", "/@evil.example"],
    [PATH, "/https://evil.example", "/https://evil.example"],
    [PATH, "/a\\evil.example", "/a%5Cevil.example"],
    [PATH, "/\t/evil.example", "/%09/evil.example"],
    [PATH, "/x?y=@evil.example//", "/x?y=@evil.example//"],
  ])("%s with %j is sent to the template's host as %s", async (path, value, sentPath) => {
    await invoke({ path }, { context: { path: value } });
    expect(fixture.received).toMatchObject([{ url: sentPath, headers: { host: "api.example" } }]);
  });

  const MISPLACED = "the filled-in path must begin with a single '/', such as /v2/users, and can't contain a host";
  const BROKEN = "context.path has a line break in it";
  test.each([
    ["", MISPLACED],
    ["v2/users", MISPLACED],
    ["?page=1", MISPLACED],
    ["//evil.example", MISPLACED],
    ["///evil.example", MISPLACED],
    ["@evil.example", MISPLACED],
    [":secret@evil.example/", MISPLACED],
    [":8443/", MISPLACED],
    [".evil.example/", MISPLACED],
    ["-evil.example/", MISPLACED],
    ["\\evil.example", MISPLACED],
    ["\\\\evil.example", MISPLACED],
    ["/\\evil.example", MISPLACED],
    ["https://evil.example/", MISPLACED],
    ["https:evil.example", MISPLACED],
    ["javascript:alert(1)", MISPLACED],
    [" /v2", MISPLACED],
    ["\t//evil.example", MISPLACED],
    ["\u2028/evil.example", MISPLACED],
    ["%2f%2fevil.example", MISPLACED],
    ["／evil.example", MISPLACED],
    ["/x\r\nHost: evil.example", BROKEN],
    ["\n//evil.example", BROKEN],
    ["/\0", BROKEN],
    ["/v2/../../admin", "the path climbs"],
    ["/%2e%2E/admin", "the path climbs"],
    ["/..", "the path climbs"],
  ])("is rejected and sends nothing if the value is %j", async (path, message) => {
    for (const origin of ["server", "page", "app"] as const)
      expect(await failureOf(invoke({ path: PATH }, { context: { path } }, { origin }))).toMatchObject({
        status: 400,
        response: `${substitution} ${message}`,
        attempts: 0,
      });
    expect(fixture.received).toEqual([]);
  });

  test.each([
    ["<%= iparam.api_key %>", "iparam.api_key is secure: it may stand in headers only"],
    ["<%= context.gone %>", "context.gone has no value"],
  ])("is rejected if it is %s", async (path, message) => {
    expect((await failureOf(invoke({ path }))).response).toBe(`${substitution} ${message}`);
    expect(fixture.received).toEqual([]);
  });
});

describe("a header substitutes", () => {
  test.each([
    ["<%= iparam.name %>", "Ann"],
    ["Bearer <%= iparam.api_key %>", `Bearer ${SECRET}`],
    ["Basic <%= encode(iparam.api_key + ':X') %>", `Basic ${btoa(`${SECRET}:X`)}`],
    ["<%= context.x %>", "from context"],
    ["<%= current_host.endpoint_urls.freshchat %>", `https://${DOMAIN}`],
    ["<%= iparam.gone || 'usual' %>", "usual"],
    ["<%= (iparam.name == 'Ann') ? 'she' : (context.x != 'y') ? 'he' : 'they' %>", "she"],
    ["<%= iparam.name === 'Bob' ? 'he' : 'other' %>", "other"],
  ])("%s", async (text, filled) => {
    await invoke(header(text), { context: { x: "from context" } });
    expect(sent()).toBe(filled);
  });

  test.each([
    ["app_settings.k", "app_settings.k has no value"],
    ["access_token", "access_token has no value"],
    ["oauth_iparams.k", "oauth_iparams.k has no value"],
    ["current_host.endpoint_urls.freshdesk", "current_host.endpoint_urls.freshdesk has no value"],
    ["current_host.endpoint_urls.elsewhere", "current_host.endpoint_urls.elsewhere has no value"],
    ["current_host.other", "current_host.other has no value"],
  ])("nothing for %s, which is rejected", async (path, message) => {
    expect(await failureOf(invoke(header(`<%= ${path} %>`)))).toMatchObject({
      status: 400,
      response: `${substitution} ${message}`,
    });
  });
});

describe("context", () => {
  const context = { x: "c", host: "ctx.example" };
  test.each(["server", "page"] as const)("of the %s is allowed everywhere", async (origin) => {
    const schema = { host: "<%= context.host %>", path: "/<%= context.x %>", ...header("<%= context.x %>") };
    await invoke({ ...schema, query: { q: "<%= context.x %>" } }, { context }, { origin });
    expect(fixture.received).toMatchObject([{ url: "/c?q=c", headers: { "x-it": "c", host: "ctx.example" } }]);
  });

  test("of an agent page is allowed in path and query only", async () => {
    const app = { origin: "app" as const };
    await invoke({ path: "/<%= context.x %>", query: { q: "<%= context.x %>" } }, { context }, app);
    expect(fixture.received).toMatchObject([{ url: "/c?q=c" }]);
    expect((await failureOf(invoke({ host: "<%= context.host %>" }, { context }, app))).response).toBe(
      `${substitution} context can't stand in host here`,
    );
    expect((await failureOf(invoke(header("<%= context.x %>"), { context }, app))).response).toBe(
      `${substitution} context can't stand in headers here`,
    );
  });
});

describe("a response", () => {
  test.each([
    "application/json; charset=utf-8",
    "application/vnd.api+json",
    "application/xml",
    "text/html",
    "text/csv",
    "application/javascript",
    "APPLICATION/JSON",
  ])("as %s is returned to the app", async (type) => {
    fixture.answer = { status: 200, headers: { "content-type": type }, body: "x" };
    expect(await invoke({})).toMatchObject({ status: 200, response: "x", attempts: 1 });
  });

  test.each(["image/png", "application/octet-stream", "application/pdf", "multipart/form-data; boundary=x"])(
    "as %s is rejected",
    async (type) => {
      fixture.answer = { status: 200, headers: { "content-type": type }, body: "x" };
      expect(await failureOf(invoke({}))).toMatchObject({
        status: 415,
        response: "Unsupported content type",
        attempts: 1,
      });
    },
  );

  test("without a content type or a body is returned", async () => {
    fixture.answer = { status: 200, headers: {}, body: "x" };
    expect(await invoke({})).toMatchObject({ response: "x" });
    fixture.answer = { status: 204, headers: { "content-type": "image/png" }, body: "" };
    expect(await invoke({})).toMatchObject({ status: 204, response: "" });
  });
});

test("a failed connection returns 502 after the template's number of attempts", async () => {
  const sending = { maxAttempts: 2, retryDelay: 0 };
  const failure = await failureOf(invoke({ host: "parley.invalid" }, {}, { sending }));
  expect(failure).toMatchObject({ status: 502, response: "Error in establishing connection", attempts: 2 });
});

describe("the URL of another product in the manifest", () => {
  const manifest = { "platform-version": "3.0", modules: { common: {}, support_ticket: {} } };
  const send = (headers: Record<string, string>, host = "api.example") =>
    fixture
      .method({ manifest, requests: { one: { schema: { method: "GET", host, headers } } } })
      .invokeTemplate({ name: "one", options: {}, origin: "server", installation });

  test("is that of the account with the same name", async () => {
    await send({ "X-It": "<%= current_host.endpoint_urls.freshdesk %>" });
    expect(sent()).toBe("https://acme.freshdesk.com");
  });

  test("receives no stored secret: the owner of that account is unknown", async () => {
    const failure = await failureOf(
      send({ "X-It": "<%= iparam.api_key %>" }, "<%= current_host.endpoint_urls.freshdesk %>"),
    );
    expect(failure.response).toMatch(/iparam\.api_key is secure: it is sent only to a host/);
    expect(fixture.received).toEqual([]);
  });
});
