import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { frameOf, frontFixture, settledState, VALUES, type FrontFixture } from "./front-fixture.ts";

/** Access to files of app/ by unusual addresses, and frames that navigate. */

const MEGABYTES = 50;
let fixture: FrontFixture;
let page: Page;
beforeAll(async () => {
  fixture = await frontFixture("front-pages", {
    files: {
      "app/a file.css": "a{}",
      "app/größe & co.txt": "large",
      "app/.hidden.js": "secret",
      "app/large.bin": Buffer.alloc(MEGABYTES * 1024 * 1024),
    },
  });
  fixture.service.createConversation("c-1", "Sam", "Where is my order?");
  await fixture.host.install(VALUES);
});
afterAll(() => fixture.close());

/** Node's fetch would normalize the address. */
const sendRequest = (method: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; bytes: number; headers: Record<string, unknown> }>((resolve, reject) => {
    const outgoing = request(`${fixture.host.url}/`, { method, path, headers, agent: false }, (reply) => {
      let bytes = 0;
      reply.on("data", (part: Buffer) => (bytes += part.length));
      reply.on("end", () => resolve({ status: reply.statusCode ?? 0, bytes, headers: reply.headers }));
    });
    outgoing.on("error", reject).end();
  });

/** Passes requests on to the app host without the header by which browsers mark the script of a service worker. */
const proxyWithoutMark = async () => {
  const proxy = createServer(({ method, url, headers: { "service-worker": _mark, ...headers } }, response) => {
    request(`${fixture.host.url}/`, { method, path: url, headers, agent: false }, (reply) => {
      response.writeHead(reply.statusCode ?? 0, reply.headers);
      reply.pipe(response);
    }).end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return proxy;
};

test("a page of an app can't register a service worker, which it could if its script was not refused", async () => {
  await fixture.write("app/worker.js", "self.onfetch = () => undefined;");
  await fixture.write("app/registers.html", "<!doctype html><title>Registers</title>");
  const proxy = await proxyWithoutMark();
  const visitor = await fixture.browser.newPage();
  const registered = async (port: number) => {
    await visitor.goto(`http://frame.app-front-pages.localhost:${port}/app/registers.html`);
    return visitor.evaluate(() =>
      navigator.serviceWorker.register("/app/worker.js").then(
        ({ scope }) => new URL(scope).pathname,
        (error: Error) => error.message,
      ),
    );
  };
  try {
    expect(await registered((proxy.address() as AddressInfo).port)).toBe("/app/");
    expect(await registered(fixture.host.port)).toMatch(/bad HTTP response code \(403\)/);
  } finally {
    await visitor.close();
    proxy.closeAllConnections();
    proxy.close();
  }
});

describe("files of app/ are readable from another origin", () => {
  const reader = async (headers: Record<string, string>) =>
    (await sendRequest("GET", "/app/a%20file.css", headers)).headers["access-control-allow-origin"];

  test("only by pages with an opaque origin under the main host name", async () => {
    expect(await reader({ origin: "null" })).toBe("null");
    expect(await reader({})).toBeUndefined();
    expect(
      await reader({ origin: "null", host: `frame.app-front-pages.localhost:${fixture.host.port}` }),
    ).toBeUndefined();
    for (const origin of [
      "http://evil.example",
      "http://localhost",
      `http://frame.app-front-pages.localhost:${fixture.host.port}`,
      "NULL",
      "",
    ])
      expect(await reader({ origin })).toBeUndefined();
  });

  test("so that a module of a directly opened page runs, while other sites' pages read nothing", async () => {
    await fixture.write("app/own.html", `<body></body><script type="module" src="own.js"></script>`);
    await fixture.write("app/own.js", `document.body.append("ran in " + self.origin);`);
    const visitor = await fixture.browser.newPage();
    await visitor.goto(`${fixture.address}app/own.html`);
    await visitor.getByText("ran in null").waitFor();
    const read = (path: string) =>
      `fetch("${fixture.address}${path}").then((answer) => answer.text()).then((text) => text.length + " read", () => "refused").then((said) => document.body.append(said))`;
    const page = `<body></body><script>${read("app/a%20file.css")}.then(() => ${read("front/client.js")})</script>`;
    const evil = createServer((_request, reply) => void reply.setHeader("content-type", "text/html").end(page));
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    await visitor.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
    // The client script is readable by every origin: the page shows that only the tested rule blocks the other files.
    await visitor.getByText(/^refused\d+ read$/).waitFor();
    evil.closeAllConnections();
    evil.close();
    await visitor.close();
  });
});

test.each(["\ud800", "a\udfff", "\0", "../agents", "%00"])(
  "an id such as %j is not found on a live account",
  async (id) => {
    const text = await (await fetch(`${fixture.host.url}/`)).text();
    const token = /"token":"([^"]+)"/.exec(text.replaceAll("&quot;", '"'))?.[1] ?? "";
    const post = (path: string, body: object) =>
      fetch(`${fixture.host.url}/front/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-page-token": token },
        body: JSON.stringify(body),
      });
    expect((await post("look", { conversation: id, agent: id })).status).toBe(200);
    for (const [path, body] of [
      ["send", { conversation: id, agent: id, text: id }],
      ["change", { conversation: id, agent: id, status: "resolved" }],
    ] as const)
      expect((await post(path, body)).status).toBeLessThan(500);
    const data = await post("call", {
      question: { of: "data.get", name: "conversation" },
      conversation: id,
      agent: id,
    });
    expect(await data.text()).not.toContain('"status":500');
  },
);

describe("under /app/", () => {
  test.each([
    ["/app/a%20file.css", 3],
    ["/app/gr%C3%B6%C3%9Fe%20%26%20co.txt", 5],
    ["/app/large.bin", MEGABYTES * 1024 * 1024],
  ])("%s is served completely", async (path, bytes) => {
    expect(await sendRequest("GET", path)).toMatchObject({ status: 200, bytes });
  });

  test.each([
    "/app/../manifest.json",
    "/app/styles/../index.html",
    "/app/%2e%2e/manifest.json",
    "/app/styles/%2e%2e/%2e%2e/manifest.json",
    "/app/..%2fmanifest.json",
    "/app/..%5cmanifest.json",
    "/app/%2e%2e%2f%2e%2e%2fetc/passwd",
    "/app//etc/passwd",
    "/app/%00",
    "/app/index.html%00.css",
    "/app/.hidden.js",
    "/app/styles",
    "/app/gone.js",
    `/app/${"x".repeat(300)}`,
  ])("%s is not found", async (path) => {
    expect((await sendRequest("GET", path)).status).toBe(404);
  });

  test.each(["/app/%", "/app/%zz.js", "/app/%ff%fe"])("%s is an invalid path", async (path) => {
    expect((await sendRequest("GET", path)).status).toBe(400);
  });

  test("HEAD returns the size without a body; a range request returns the whole file", async () => {
    expect(await sendRequest("HEAD", "/app/a%20file.css")).toMatchObject({
      status: 200,
      bytes: 0,
      headers: { "content-length": "3", "content-type": "text/css; charset=utf-8" },
    });
    expect(await sendRequest("GET", "/app/a%20file.css", { range: "bytes=0-0" })).toMatchObject({
      status: 200,
      bytes: 3,
    });
  });

  test.each(["POST", "PUT", "DELETE"])("%s is not allowed", async (method) => {
    expect((await sendRequest(method, "/app/index.html")).status).toBe(404);
  });
});

describe("a frame of the app", () => {
  beforeAll(async () => {
    page = await fixture.visit();
  });
  afterAll(() => page.context().close());

  test("that navigates to another page of the app gets its client there", async () => {
    const frame = await frameOf(page, "index.html");
    await frame.evaluate("void setTimeout(() => { location.href = 'dialogs/child.html'; })");
    const there = await frameOf(page, "dialogs/child.html");
    await there.locator("#state").getByText("Active").waitFor();
    expect(await settledState(there, "client.data.get('domainName')")).toMatchObject(["ok", {}]);
  });

  test("that sends requests continuously is rejected after a while, and the page keeps working", async () => {
    const frame = await frameOf(page, "dialogs/child.html");
    const outcomes = await frame.evaluate<string[]>(`Promise.all(Array.from({ length: 2_000 }, () =>
      client.data.get("domainName").then(() => "ok", ({ status }) => String(status))))`);
    expect(new Set(outcomes)).toEqual(new Set(["ok", "429"]));
    expect(await settledState(frame, "client.data.get('domainName')")).toMatchObject(["ok", {}]);
  });

  test.each([
    ["interface.trigger('fly')", 404],
    ["interface.trigger()", 404],
    ["data.get()", 404],
    ["db.get()", 400],
    ["db.set('k')", 400],
    ["request.invoke('nothing')", undefined],
    ["request.invokeTemplate('nothing')", 400],
    ["request.get('no address')", 400],
  ])("that calls client.%s is rejected", async (call, status) => {
    const frame = await frameOf(page, "dialogs/child.html");
    const [outcome, failure] = await settledState(frame, `client.${call}`);
    expect([outcome, failure]).toMatchObject(["no", { message: expect.stringMatching(/\w{3}/) as unknown }]);
    if (status !== undefined) expect(failure).toMatchObject({ status });
  });

  test("that is closed during a request leaves the host unaffected", async () => {
    const other = await fixture.visit();
    const frame = await frameOf(other, "index.html");
    await frame.evaluate("for (let n = 0; n < 50; n += 1) void client.request.invoke('add', { a: n, b: 1 })");
    await other.context().close();
    const still = await frameOf(page, "dialogs/child.html");
    expect(await settledState(still, "client.request.invoke('add', { a: 1, b: 1 })")).toMatchObject([
      "ok",
      { response: { sum: 2 } },
    ]);
  });
});
