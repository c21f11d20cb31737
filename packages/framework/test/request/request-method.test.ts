import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { IparamsConfig, RequestFailure, RequestTemplates } from "@parley/contract";
import { egress, type Egress } from "@parley/egress";
import type { Installation } from "../../src/state/installations.ts";
import { createMinuteRateLimit, type MinuteRateLimit } from "../../src/request/dispatch.ts";
import { createRequestMethod } from "../../src/request/method.ts";
import { RequestRejected, type HostRequestMethod, type TemplateCall } from "../../src/request/request-method.ts";
import { defaultHostSettings, type HostSettings } from "../../src/environment/settings.ts";
import { MANIFEST } from "../support/project-folder.ts";
import { noTokens } from "../support/no-tokens.ts";

const HOST = "acme.parley.localhost";
const SECRET = "canary-71aa";
const iparams: IparamsConfig = {
  domain: { display_name: "Account", type: "domain", type_attributes: { product: "chat" } },
  api_key: { display_name: "Key", type: "api_key", secure: true, type_attributes: { product: "chat" } },
};
const host = "<%= iparam.domain %>";
const headers = { Authorization: "Bearer <%= iparam.api_key %>", "Content-Type": "application/json" };
const requests: RequestTemplates = {
  post: {
    schema: {
      method: "POST",
      host,
      path: "/v2/items/<%= context.id %>",
      headers,
      query: { page: "<%= context.page %>" },
    },
  },
  status: {
    schema: { method: "GET", host, path: "/status/<%= context.status %>", headers },
    options: { maxAttempts: 3, retryDelay: 1 },
  },
  slow: { schema: { method: "GET", host, path: "/slow" } },
  large: { schema: { method: "GET", host, path: "/large" } },
  elsewhere: { schema: { method: "GET", host: "<%= context.host %>" } },
};
const installation: Installation = {
  id: "i",
  account: "acme",
  domain: HOST,
  values: { domain: HOST },
  secure: new Set(["api_key"]),
  version: 1,
  state: "active",
};

let server: Server;
let out: Egress;
const got: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      got.push({ method, url, headers, body });
      const status = Number(/^\/status\/(\d+)/.exec(url)?.[1] ?? 200);
      if (url === "/slow") return;
      response.writeHead(status, { "content-type": "application/json", "x-own": "yes" });
      response.end(url === "/large" ? "x".repeat(300_000) : `{"status":${status}}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  out = egress({ hosts: new Map([[HOST, { origin }]]) });
});
beforeEach(() => void (got.length = 0));
afterAll(async () => {
  await out.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const method = (settings: Partial<HostSettings> = {}, allow: MinuteRateLimit = () => true): HostRequestMethod =>
  createRequestMethod({
    project: () => ({ manifest: MANIFEST, requests, iparams, platformVersion: "3.0" }),
    consents: { mayCall: async () => false },
    domainSuffix: ".parley.localhost",
    appSettings: { values: async () => ({ open: {}, secure: {} }) },
    installations: { secrets: async () => ({ api_key: SECRET }) },
    egress: out,
    settings: { ...defaultHostSettings, requestTimeoutMs: 2_000, ...settings },
    allow,
    tokens: noTokens,
  });
const call = (name: string, options: TemplateCall["options"] = {}, more: Partial<TemplateCall> = {}): TemplateCall => ({
  name,
  options,
  origin: "server",
  installation,
  ...more,
});
const failureOf = async (reply: Promise<unknown>): Promise<RequestFailure> => {
  const error: unknown = await reply.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RequestRejected) return error.failure;
  throw new Error("it was not rejected as a request is", { cause: error });
};

describe("a request", () => {
  test("is sent as its template defines, with substitutions, and returns the documented response", async () => {
    const options = { context: { id: "a b" }, body: '{"x":1}', query: { more: 2, none: undefined } };
    const reply = await method().invokeTemplate(call("post", options));
    expect(reply).toEqual({
      status: 200,
      headers: expect.objectContaining({ "x-own": "yes" }),
      response: '{"status":200}',
      attempts: 1,
    });
    expect(got).toHaveLength(1);
    expect(got[0]).toMatchObject({ method: "POST", url: "/v2/items/a%20b?more=2", body: '{"x":1}' });
    expect(got[0]?.headers).toMatchObject({
      host: HOST,
      authorization: `Bearer ${SECRET}`,
      "content-type": "application/json",
    });
  });

  test("from the installation page uses typed values, and stored values for empty ones", async () => {
    const values = { domain: HOST, api_key: "typed" };
    await method().invokeTemplate(call("status", { context: { status: 200 } }, { origin: "page", values }));
    await method().invokeTemplate(
      call("status", { context: { status: 200 } }, { origin: "page", values: { domain: HOST } }),
    );
    expect(got.map(({ headers: { authorization } }) => authorization)).toEqual(["Bearer typed", `Bearer ${SECRET}`]);
  });

  test("with a status of 400 and above is rejected with the response", async () => {
    const failure = await failureOf(method().invokeTemplate(call("status", { context: { status: 404 } })));
    expect(failure).toMatchObject({ status: 404, response: '{"status":404}', errorSource: "APP", attempts: 1 });
    expect(failure.headers["x-own"]).toBe("yes");
  });

  test("is retried as often as its template defines", async () => {
    const failure = await failureOf(method().invokeTemplate(call("status", { context: { status: 503 } })));
    expect(failure).toMatchObject({ status: 503, attempts: 3 });
    expect(got).toHaveLength(3);
  });
});

describe("a request is rejected with", () => {
  test.each([
    ["an unknown template", call("gone"), 400, "Request template 'gone' is not defined in config/requests.json"],
    [
      "a template named like an object's member",
      call("constructor"),
      400,
      "Request template 'constructor' is not defined in config/requests.json",
    ],
    ["a missing value", call("post"), 400, "Error while substituting the templates: context.id has no value"],
    [
      "a secure value without an installation",
      call("status", { context: { status: 200 } }, { installation: undefined, values: { domain: HOST } }),
      400,
      "Error while substituting the templates: iparam.api_key has no value",
    ],
    ["an IP address", call("elsewhere", { context: { host: "127.0.0.1" } }), 400, "Invalid URL - IP is disallowed"],
    [
      "a host name of this machine",
      call("elsewhere", { context: { host: "localhost" } }),
      400,
      "Invalid URL - Must be FQDN",
    ],
    ["a path in the host", call("elsewhere", { context: { host: "a.example/x" } }), 400, "Invalid URL - Must be FQDN"],
    ["a port in the host", call("elsewhere", { context: { host: "a.example:22" } }), 400, "Invalid URL - Must be FQDN"],
    ["a user in the host", call("elsewhere", { context: { host: "a@b.example" } }), 400, "Invalid URL - Must be FQDN"],
    [
      "context in the host from an agent page",
      call("elsewhere", { context: { host: "a.example" } }, { origin: "app" }),
      400,
      "Error while substituting the templates: context can't stand in host here",
    ],
    [
      "a body over 100 KB",
      call("post", { context: { id: 1 }, body: "x".repeat(102_401) }),
      413,
      "Request is too large",
    ],
  ])("%s", async (_title, asked, status, response) => {
    expect(await failureOf(method().invokeTemplate(asked))).toEqual({
      status,
      response,
      headers: {},
      attempts: 0,
      errorSource: "APP",
    });
    expect(got).toHaveLength(0);
  });

  test("504 after its timeout, and 502 for a response that is too large", async () => {
    expect(await failureOf(method({ requestTimeoutMs: 80 }).invokeTemplate(call("slow")))).toMatchObject({
      status: 504,
      response: "Timeout error while processing the request",
      attempts: 1,
    });
    expect(await failureOf(method({ maxResponseBytes: 1000 }).invokeTemplate(call("large")))).toMatchObject({
      status: 502,
    });
    expect((await method().invokeTemplate(call("large"))).response).toHaveLength(300_000);
  });

  test("429 after the app's rate limit per minute, until the next minute", async () => {
    let now = 0;
    const limited = method(
      {},
      createMinuteRateLimit(2, () => now),
    );
    const invoke = () => limited.invokeTemplate(call("status", { context: { status: 200 } }));
    await invoke();
    now = 59_999;
    await invoke();
    expect(await failureOf(invoke())).toMatchObject({ status: 429 });
    now = 60_000;
    await expect(invoke()).resolves.toMatchObject({ status: 200 });
  });
});

test("a failed request contains no secure value", async () => {
  const all = [
    call("status", { context: { status: 401 } }),
    call("post"),
    call("slow"),
    call("elsewhere", { context: { host: "10.0.0.1" } }),
  ];
  for (const asked of all) {
    const failure = await failureOf(method({ requestTimeoutMs: 50 }).invokeTemplate(asked));
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  }
});
