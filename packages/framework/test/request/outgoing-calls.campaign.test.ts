import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Consent, Invocation } from "@parley/contract";
import { appFixture, type AppFixture, type AppFixtureOptions } from "../support/app-fixture.ts";
import { COMMON, SERVER } from "./outgoing-calls-app.ts";

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly host: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server;
let origin: string;
let received: ReceivedRequest[] = [];
let answer: { status: number; headers: Record<string, string>; body: string | Buffer; waitMs?: number };
let fixture: AppFixture;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      received.push({ method, url, host: headers.host ?? "", headers, body });
      const { status, headers: own, body: text, waitMs = 0 } = url === "/landed" ? USUAL : answer;
      setTimeout(() => response.writeHead(status, own).end(text), waitMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
const USUAL: typeof answer = { status: 200, headers: { "content-type": "application/json" }, body: '{"ok":true}' };
const begin = async (options: AppFixtureOptions = {}, declared?: readonly string[]) => {
  received = [];
  answer = USUAL;
  fixture = await appFixture(
    {
      server: SERVER,
      manifest: {
        "platform-version": "3.0",
        modules: { common: COMMON, chat_conversation: {} },
        ...(declared && { "whitelisted-domains": declared }),
      },
    },
    { maps: new Map([["*.example", origin]]), ...options },
  );
  await fixture.install();
};
let isShared = false;
afterEach(async () => {
  if (!isShared) await fixture.close();
});
/** Starts one fixture for all tests of a block. No test may change state that another test reads. */
const sharedFixture = (options?: AppFixtureOptions) => {
  beforeAll(async () => {
    await begin(options);
    isShared = true;
  });
  beforeEach(() => {
    received = [];
    answer = USUAL;
  });
  afterAll(async () => {
    isShared = false;
    await fixture.close();
  });
};

const call = (client: string, url: string, more: object = {}): Promise<Invocation> =>
  fixture.call("call", { way: client, url, ...more });
const consents = async (): Promise<readonly Consent[]> =>
  ((await fixture.requestAsAuthor("consents")) as { consents: readonly Consent[] }).consents;
const decide = (subject: string, isGranted: boolean) =>
  fixture.requestAsAuthor("consents", { subject, isGiven: isGranted });
const refusalOf = (host: string) =>
  `The app's code may not call ${host}: no admin has agreed to it. Agree on the installation page or by 'npx parley consent give ${host}', or let the app use $request.`;
const CLIENTS = ["https", "get", "options", "fetch"];

describe("without a consent", () => {
  test.each(CLIENTS)(
    "no request leaves by %s, the error names a next step, and the host is listed for a decision",
    async (client) => {
      await begin();
      const { output, requests } = await call(client, "https://api.example/x");
      expect((output as { message: string }).message).toContain(refusalOf("api.example"));
      expect(requests).toMatchObject([{ method: "GET", url: "https://api.example/x", status: 0, attempts: 0 }]);
      expect(received).toEqual([]);
      expect(await consents()).toEqual([{ subject: "api.example", state: "asked", time: expect.any(String) }]);
    },
  );

  test("hosts that the manifest declares are listed and not requested", async () => {
    await begin({}, [
      "https://api.example",
      "https://*.shop.example/path",
      "https://<%= iparam.host %>",
      "*",
      "https://10.0.0.1",
    ]);
    await call("fetch", "https://api.example/x");
    expect(received).toEqual([]);
    expect(await consents()).toMatchObject([
      { subject: "api.example", state: "asked" },
      { subject: "*.shop.example", state: "declared" },
    ]);
  });

  test("the number of hosts listed for a decision is limited", async () => {
    await begin();
    for (let index = 0; index < 60; index += 1) await call("fetch", `https://h${index}.example/`);
    expect(await consents()).toHaveLength(50);
  });
});

describe("in the app's process", () => {
  sharedFixture();

  test.each(CLIENTS)(
    "a request that the host accepts no message for is rejected in the process, which keeps running: %s",
    async (client) => {
      const { output } = await call(client, `https://api.example/${"x".repeat(9_000)}`);
      expect((output as { message: string }).message).toContain("The address of a request is too long");
      expect((await call("https", "https://api.example/", { method: "X".repeat(33) })).output).toMatchObject({
        message: "Invalid method",
      });
      expect(fixture.lines.join("\n")).not.toContain("not a message of the protocol");
    },
  );

  test("net, tls and servers load, and reject connecting and listening", async () => {
    const { output } = await fixture.call("sockets");
    expect(output).toEqual(
      Array(3).fill("A direct network connection is not allowed in a serverless app; use $request"),
    );
  });

  test("host names can't be resolved, though resolvers can be created", async () => {
    expect((await fixture.call("names")).output).toEqual(
      Array(5).fill("DNS is not allowed in a serverless app; use $request"),
    );
  });
});

describe("with a revoked consent", () => {
  sharedFixture();

  test.each(CLIENTS)(
    "%s reaches the host before, with a record; the revocation applies from the next call on",
    async (client) => {
      await decide("api.example", true);
      const { output, requests } = await call(client, "https://api.example/x");
      expect(output).toMatchObject({ status: 200, text: '{"ok":true}' });
      expect(requests).toMatchObject([{ method: "GET", url: "https://api.example/x", status: 200, attempts: 1 }]);
      await decide("api.example", false);
      expect((await call(client, "https://api.example/x")).output).toMatchObject({
        message: expect.stringContaining(refusalOf("api.example")),
      });
      expect(received).toHaveLength(1);
    },
  );
});

describe("with a consent for the run", () => {
  sharedFixture({ consentsOfRun: { hosts: ["api.example", "127.0.0.1", "[::1]", "localhost"] } });

  test.each(["https", "fetch"])(
    "%s sends method, headers and body, and returns a status of 400 and above as a response",
    async (client) => {
      answer = { status: 422, headers: { "content-type": "text/plain" }, body: "no" };
      const { output } = await call(client, "https://api.example/things?a=1", {
        method: "POST",
        headers: { "X-Mine": "yes", "content-type": "text/plain" },
        body: "grüezi",
      });
      expect(output).toMatchObject({ status: 422, text: "no" });
      expect(received).toMatchObject([
        { method: "POST", url: "/things?a=1", host: "api.example", headers: { "x-mine": "yes" }, body: "grüezi" },
      ]);
    },
  );

  test("binary data arrives unchanged", async () => {
    const body = gzipSync("ü");
    answer = { status: 200, headers: { "content-type": "application/octet-stream" }, body };
    expect((await fixture.call("bytes", { url: "https://api.example/" })).output).toBe(body.toString("hex"));
  });

  test.each([
    ["https://127.0.0.1/", "Invalid URL - IP is disallowed"],
    ["https://[::1]/", "Invalid URL - IP is disallowed"],
    ["https://0x7f.1/", "Invalid URL - IP is disallowed"],
    ["https://localhost/", "Invalid URL - Must be FQDN"],
    ["http://api.example/", "Invalid URL - Must be HTTPS"],
    ["https://user:pass@api.example/", "Invalid URL - Credentials are disallowed"],
  ])("the address rules of the request method apply: %s", async (url, message) => {
    // Node's clients send the credentials of a URL as a header.
    const client = url.includes("@") ? "fetch" : url.startsWith("http:") ? "http" : "https";
    const { output } = await call(client, url);
    expect((output as { message: string }).message).toMatch(url.includes("@") ? /credentials/i : message);
    expect(received).toEqual([]);
  });

  test("an app can abort by its own timeout or signal", async () => {
    answer = { ...USUAL, waitMs: 500 };
    expect((await fixture.call("slow", { url: "https://api.example/" })).output).toBe("too slow");
    expect((await fixture.call("abort", { url: "https://api.example/" })).output).toBe("TimeoutError");
  });
});

describe("with a consent", () => {
  test("a pattern includes subdomains and no other host", async () => {
    await begin();
    await decide("*.shop.example", true);
    expect((await call("fetch", "https://a.b.shop.example/")).output).toMatchObject({ status: 200 });
    for (const host of ["shop.example", "shop.example.example", "api.example", "ashop.example"])
      expect((await call("fetch", `https://${host}/`)).output).toMatchObject({
        message: expect.stringContaining(refusalOf(host)),
      });
    expect(received).toHaveLength(1);
  });

  test("a port must be named", async () => {
    await begin();
    await decide("api.example", true);
    expect((await call("https", "https://api.example:8443/")).output).toMatchObject({
      message: refusalOf("api.example:8443"),
    });
    await decide("api.example:8443", true);
    expect((await call("https", "https://api.example:8443/")).output).toMatchObject({ status: 200 });
  });

  test.each(["https", "fetch"])(
    "a redirect by %s to a host without a consent is rejected; with one it is followed",
    async (client) => {
      await begin();
      await decide("api.example", true);
      answer = { status: 302, headers: { location: "https://other.example/landed" }, body: "" };
      const first = (await call(client, "https://api.example/", { headers: { authorization: "Bearer x" } })).output;
      expect(received.map(({ host }) => host)).toEqual(["api.example"]);
      // Node's http clients don't follow redirects.
      if (client === "https") return expect(first).toMatchObject({ status: 302 });
      expect(first).toMatchObject({ message: expect.stringContaining(refusalOf("other.example")) });
      await decide("other.example", true);
      const second = (await call(client, "https://api.example/", { headers: { authorization: "Bearer x" } })).output;
      expect(second).toMatchObject({ status: 200, redirected: true, url: "https://other.example/landed" });
      expect(received.map(({ host, headers }) => [host, headers.authorization])).toEqual([
        ["api.example", "Bearer x"],
        ["api.example", "Bearer x"],
        ["other.example", undefined],
      ]);
    },
  );

  test("limits apply: calls per minute, size of request and response, time", async () => {
    const hosts = ["api.example"];
    await begin({
      consentsOfRun: { hosts },
      settings: { requestsPerMinute: 4, maxRequestBytes: 100, maxResponseBytes: 100, requestTimeoutMs: 200 },
    });
    const errorOf = async (more: object = {}) =>
      ((await call("https", "https://api.example/", more)).output as { message?: string }).message;
    expect(await errorOf({ method: "POST", body: "x".repeat(101) })).toBe("Request is too large");
    answer = { ...USUAL, body: "x".repeat(101) };
    expect(await errorOf()).toBe("Response is too large");
    answer = { ...USUAL, waitMs: 1_000 };
    expect(await errorOf()).toBe("Timeout error while processing the request");
    answer = USUAL;
    expect(await errorOf()).toBeUndefined();
    expect(await errorOf()).toBe("Too many requests: the app's allowance is used up");
  });
});

describe("an invalid host", () => {
  sharedFixture();

  test.each(["*", "*.com", "api.*", "10.0.0.1", "https://api.example/path", "localhost", "a b.example", ""])(
    "%j can't be consented to",
    async (subject) => {
      await expect(decide(subject, true)).rejects.toThrow(/is neither secure-iparams nor a host|must not have fewer/);
    },
  );
});
