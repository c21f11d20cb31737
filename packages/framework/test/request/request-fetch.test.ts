import { beforeEach, describe, expect, test } from "@jest/globals";
import { DOMAIN, failureOf, installation, requestFixture, SECRET, verb } from "./request-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

const USUAL = { status: 200, headers: { "content-type": "application/json" }, body: '{"ok":true}' };
const DOMAINS = ["https://api.example", "https://*.wild.example", "https://<%= iparam.host %>"];

const fixture = fileFixture(requestFixture);
beforeEach(() => {
  fixture.received.length = 0;
  fixture.answer = USUAL;
});

const old = (whitelistedDomains: readonly string[] = DOMAINS) =>
  fixture.method({ platformVersion: "2.2", whitelistedDomains });
const URL_OK = "https://api.example/v1/items?page=2";

describe("a verb", () => {
  test.each(["get", "post", "put", "patch", "delete"] as const)(
    "%s sends a request and returns the response",
    async (method) => {
      expect(await old().fetch(verb(method, URL_OK))).toMatchObject({
        status: 200,
        response: '{"ok":true}',
        attempts: 1,
      });
      expect(fixture.received).toMatchObject([{ method: method.toUpperCase(), url: "/v1/items?page=2", body: "" }]);
      expect(fixture.received[0]?.headers.host).toBe("api.example");
    },
  );

  test("has its URL, headers and body substituted, with secure values in headers only", async () => {
    const headers = {
      Authorization: "Bearer <%= iparam.api_key %>",
      "X-Basic": "<%= encode(iparam.api_key + ':X') %>",
    };
    const body = "<%= iparam.name %> wrote <%= context.x %> <% if";
    await old().fetch(verb("post", "https://<%= iparam.host %>/<%= iparam.name %>", { headers, body }));
    expect(fixture.received).toMatchObject([
      {
        url: "/Ann",
        body: "Ann wrote <%= context.x %> <% if",
        headers: { host: "own.example", authorization: `Bearer ${SECRET}`, "x-basic": btoa(`${SECRET}:X`) },
      },
    ]);
  });

  test.each([
    ["text unchanged", { body: "a=1" }, "a=1", undefined],
    ["an object as JSON", { body: { a: 1 } }, '{"a":1}', "application/json"],
    ["json as JSON", { json: { a: [1] } }, '{"a":[1]}', "application/json"],
    ["a list as JSON", { json: [1, 2] }, "[1,2]", "application/json"],
    ["JSON text as JSON", { json: true, body: '{"a":1}' }, '{"a":1}', "application/json"],
    [
      "an object as a form if the app says so",
      { body: { a: 1, b: "x y" }, headers: { "Content-Type": "application/x-www-form-urlencoded" } },
      "a=1&b=x+y",
      "application/x-www-form-urlencoded",
    ],
    [
      "the content type that the app sets",
      { json: { a: 1 }, headers: { "content-type": "application/vnd.api+json" } },
      '{"a":1}',
      "application/vnd.api+json",
    ],
    ["nothing", { body: null }, "", undefined],
  ])("sends %s", async (_title, options, body, type) => {
    await old().fetch(verb("post", URL_OK, options));
    expect(fixture.received).toMatchObject([{ body }]);
    expect(fixture.received[0]?.headers["content-type"]).toBe(type);
  });

  test("returns parsed JSON for json: true, and text otherwise", async () => {
    expect((await old().fetch(verb("post", URL_OK, { json: { a: 1 } }))).response).toEqual({ ok: true });
    expect((await old().fetch(verb("get", URL_OK, { json: false }))).response).toBe('{"ok":true}');
    fixture.answer = { status: 200, headers: { "content-type": "text/plain" }, body: "fine" };
    expect((await old().fetch(verb("post", URL_OK, { json: true }))).response).toBe("fine");
  });

  test("is attempted as often as maxAttempts, and rejected with the last response", async () => {
    fixture.answer = { ...USUAL, status: 503 };
    const failure = await failureOf(old().fetch(verb("get", URL_OK, { maxAttempts: 3, retryDelay: 0 })));
    expect(failure).toMatchObject({ status: 503, response: '{"ok":true}', attempts: 3, errorSource: "APP" });
    expect(fixture.received).toHaveLength(3);
  });

  test("records the sent request without secure values", async () => {
    const sent: unknown[] = [];
    const headers = { Authorization: "<%= iparam.api_key %>" };
    await old().fetch(verb("get", URL_OK, { headers }, { onSent: (one) => void sent.push(one) }));
    expect(sent).toEqual([{ method: "GET", url: URL_OK }]);
  });
});

describe("whitelisted-domains", () => {
  test.each([
    ["https://api.example/", DOMAINS],
    ["https://API.example/x", DOMAINS],
    ["https://a.wild.example/", DOMAINS],
    ["https://a.b.wild.example/", DOMAINS],
    ["https://own.example/", DOMAINS],
    ["https://api.example/v1/items", ["https://api.example/"]],
    ["https://api.example/v1/items", ["https://api.example/v1"]],
    ["https://api.example/v1", ["api.example/v1/"]],
    ["https://api.example:8443/", ["https://api.example:8443"]],
    ["https://own.example/", ["https://<%= iparam.gone %>", "https://<%= iparam.host %>"]],
  ])("allow %s by %j", async (url, entries) => {
    expect(await old(entries).fetch(verb("get", url))).toMatchObject({ status: 200 });
  });

  test.each([
    ["https://other.example/", DOMAINS],
    ["https://wild.example/", DOMAINS],
    ["https://evilwild.example/", DOMAINS],
    ["https://xapi.example/", DOMAINS],
    ["https://apixexample.example/", ["https://api.example"]],
    ["https://api.example.evil.example/", DOMAINS],
    ["https://evil.example/api.example", DOMAINS],
    ["https://evil.example/?https://api.example", DOMAINS],
    ["https://api.example:8443/", DOMAINS],
    ["https://api.example/v10", ["https://api.example/v1"]],
    ["https://api.example/v1/../v2", ["https://api.example/v1"]],
    ["https://api.example/", ["http://api.example"]],
    ["https://api.example/", ["https://<%= iparam.gone %>"]],
    ["https://api.example/", ["https://<%= iparam.api_key %>"]],
    ["https://api.example/", ["https://"]],
    ["https://api.example/", [""]],
    ["https://api.example/", []],
    ["https://other.parley.localhost/", []],
    [`https://${DOMAIN}:8443/`, []],
    [`https://${DOMAIN}.evil.example/`, []],
    ["https://outbound.parley.localhost.evil.example/", []],
  ])("reject %s by %j", async (url, entries) => {
    const { host } = new URL(url);
    expect(await failureOf(old(entries).fetch(verb("get", url)))).toEqual({
      status: 400,
      response: `This domain has not been whitelisted: ${host}. Add "https://${host}" to whitelisted-domains in manifest.json`,
      headers: {},
      attempts: 0,
      errorSource: "APP",
    });
    expect(fixture.received).toEqual([]);
  });

  test.each([[[]], [DOMAINS]])("always allow the API of the account, with its key: %j", async (entries) => {
    const headers = { Authorization: "Bearer <%= iparam.api_key %>" };
    for (const url of [`https://${DOMAIN}/v2/groups`, "https://<%= iparam.domain %>/v2/agents"])
      expect(await old(entries).fetch(verb("get", url, { headers }))).toMatchObject({ status: 200 });
    expect(fixture.received).toMatchObject(
      ["/v2/groups", "/v2/agents"].map((url) => ({
        url,
        headers: { host: DOMAIN, authorization: `Bearer ${SECRET}` },
      })),
    );
  });

  test("do not allow a host that a form names as the account's and that is not a host of this service", async () => {
    const values = { ...installation.values, domain: "chat.example" };
    const call = verb("get", "https://chat.example/", {}, { origin: "page", values });
    expect((await failureOf(old([]).fetch(call))).response).toMatch(
      /^This domain has not been whitelisted: chat\.example\./,
    );
  });

  test("treat a star in a parameter's value literally", async () => {
    const values = { ...installation.values, host: "*.example" };
    const call = verb("get", "https://other.example/", {}, { installation: { ...installation, values } });
    expect((await failureOf(old().fetch(call))).response).toMatch(/^This domain has not been whitelisted: /);
  });
});

describe("a verb is rejected with", () => {
  const substitution = "Error while substituting the templates:";
  const post = (options: unknown) => verb("post", URL_OK, options);
  test.each([
    ["an unencrypted URL", verb("get", "http://api.example/"), 400, "Invalid URL - Must be HTTPS"],
    ["an invalid URL", verb("get", "undefined"), 400, "Invalid URL - Must be HTTPS"],
    ["an IP address", verb("get", "https://169.254.169.254/"), 400, "Invalid URL - IP is disallowed"],
    ["a host name of this machine", verb("get", "https://localhost/"), 400, "Invalid URL - Must be FQDN"],
    ["credentials", verb("get", "https://a:b@api.example/"), 400, "Invalid URL - Credentials are disallowed"],
    [
      "a secure value in the URL",
      verb("get", "https://api.example/?k=<%= iparam.api_key %>"),
      400,
      `${substitution} iparam.api_key is secure: it may stand in headers only`,
    ],
    [
      "a secure value in the body",
      post({ body: "<%= iparam.api_key %>" }),
      400,
      `${substitution} iparam.api_key is secure: it may stand in headers only`,
    ],
    [
      "an unknown value",
      post({ headers: { A: "<%= iparam.gone %>" } }),
      400,
      `${substitution} iparam.gone has no value`,
    ],
    [
      "a setting of the app",
      post({ headers: { A: "<%= app_settings.k %>" } }),
      400,
      `${substitution} app_settings.k has no value`,
    ],
    ["form data", post({ formData: { a: 1 } }), 415, "Unsupported content type"],
    ["six attempts", post({ maxAttempts: 6 }), 400, "Invalid options: maxAttempts must be <= 5"],
    ["zero attempts", post({ maxAttempts: 0 }), 400, "Invalid options: maxAttempts must be >= 1"],
    ["a long delay", post({ retryDelay: 1501 }), 400, "Invalid options: retryDelay must be <= 1500"],
    ["invalid options", post("x"), 400, "Invalid options: they must be object"],
    ["a large body", post({ body: "x".repeat(102_401) }), 413, "Request is too large"],
    [
      "an agent's token without an agent",
      post({ isOAuth: true }),
      400,
      "OAuth config must have required property 'integrations'",
    ],
  ])("%s", async (_title, call, status, response) => {
    expect(await failureOf(old().fetch(call))).toMatchObject({ status, response, attempts: 0 });
    expect(fixture.received).toEqual([]);
  });

  test("a binary response", async () => {
    fixture.answer = { status: 200, headers: { "content-type": "image/png" }, body: "x" };
    expect(await failureOf(old().fetch(verb("get", URL_OK)))).toMatchObject({
      status: 415,
      response: "Unsupported content type",
      attempts: 1,
    });
  });

  test.each(["2.3", "3.0", "3.1"])("platform-version %s", async (platformVersion) => {
    const failure = await failureOf(
      fixture.method({ platformVersion, whitelistedDomains: DOMAINS }).fetch(verb("get", URL_OK)),
    );
    expect(failure).toMatchObject({ status: 400 });
    expect(failure.response).toBe(
      `request.get is not known to platform-version ${platformVersion}: declare a template in config/requests.json, and use request.invokeTemplate`,
    );
  });

  test.each(["2.0", "2.1", "2.2"])("templates in platform-version %s", async (platformVersion) => {
    const call = { name: "any", options: {}, origin: "server" as const, installation };
    expect((await failureOf(fixture.method({ platformVersion }).invokeTemplate(call))).response).toBe(
      `request.invokeTemplate is not known to platform-version ${platformVersion}: use request.get, post, put, patch or delete`,
    );
  });
});

describe("on the installation page", () => {
  const headers = { Authorization: "<%= iparam.api_key %>" };
  const page = (values: Record<string, string>) =>
    verb("get", "https://<%= iparam.host %>/", { headers }, { origin: "page", values });

  test("a verb uses typed values and, for empty secure values, the stored values", async () => {
    await old().fetch(page({ host: "own.example", api_key: "typed" }));
    await old().fetch(page({ host: "own.example" }));
    expect(fixture.received.map((one) => one.headers.authorization)).toEqual(["typed", SECRET]);
  });

  test("a verb sends no stored value to a typed host", async () => {
    await old().fetch(page({ host: "evil.example", api_key: "typed" }));
    expect((await failureOf(old().fetch(page({ host: "evil.example" })))).response).toBe(
      "Error while substituting the templates: iparam.api_key is secure: it is sent only to a host that the app's files name, or that is stored together with it",
    );
    expect(fixture.received.map((one) => one.headers.authorization)).toEqual(["typed"]);
  });
});
