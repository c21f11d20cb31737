import { createServer, type Server } from "node:http";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { campaignDescribe, campaignTest } from "../../../../test/support/campaign.ts";
import type { InstallModel } from "@parley/contract";
import { KEY } from "../support/fake-account.ts";
import { fixtureFolder, installFixture, type InstallFixture } from "./install-fixture.ts";

let fixture: InstallFixture;
let token: string;
/** A server of another origin, with the requests that reached it. */
let outside: Server;
let outsideAddress: string;
let reached: string[];

beforeAll(async () => {
  fixture = await installFixture(fixtureFolder("install-callbacks"));
  outside = createServer((request, answer) => {
    reached.push(request.url ?? "");
    answer
      .writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/javascript" })
      .end("window.ran=1");
  });
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
  outsideAddress = `http://127.0.0.1:${(outside.address() as AddressInfo).port}/stolen`;
});
afterAll(async () => {
  await fixture.close();
  outside.closeAllConnections();
  await new Promise((resolve) => outside.close(resolve));
});
beforeEach(() => {
  reached = [];
});

const unescape = (text: string) => text.replaceAll("&quot;", '"').replaceAll("&#x27;", "'").replaceAll("&amp;", "&");

beforeAll(async () => {
  const source = await (await fetch(`${fixture.host.url}/custom_configs`)).text();
  const model = JSON.parse(unescape(/data-model="([^"]*)"/.exec(source)?.[1] ?? "{}")) as InstallModel;
  token = model.token;
});

/** Node's fetch doesn't send some of these headers. */
const sendRequest = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const sent = request(`${fixture.host.url}/custom_configs${path}`, { method, headers, agent: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });

const ours = () => ({
  "content-type": "application/json",
  "x-page-token": token,
  origin: fixture.host.url,
  "sec-fetch-site": "same-origin",
});
const form = { values: { domain: "acme", api_key: KEY }, attributes: {} };

describe("only the installation page itself may send", () => {
  const questions: [string, unknown][] = [
    ["/save", form],
    ["/check", { key: "email", value: "no" }],
    [
      "/request",
      { question: { name: "groups", options: { context: { after: "0" } } }, values: { domain: "acme", api_key: KEY } },
    ],
  ];

  test.each(questions)("POST %s", async (path, body) => {
    expect((await sendRequest("POST", path, ours(), body)).status).toBe(200);
  });

  test.each(
    questions.flatMap(([path, body]): [string, string, Record<string, string>, number, unknown][] => [
      [path, "another origin", { origin: "https://evil.example" }, 403, body],
      [path, "no origin of its own", { origin: "null" }, 403, body],
      [path, "another site", { "sec-fetch-site": "cross-site" }, 403, body],
      [path, "another port of this machine", { "sec-fetch-site": "same-site" }, 403, body],
      [path, "a made-up token", { "x-page-token": "guess" }, 403, body],
      [path, "a name of somebody else's", { host: "evil.example" }, 421, body],
      [path, "a form's content type", { "content-type": "application/x-www-form-urlencoded" }, 415, body],
    ]),
  )("POST %s, not from %s", async (path, _, headers, status, body) => {
    const before = fixture.account.requests.length;
    expect((await sendRequest("POST", path, { ...ours(), ...headers }, body)).status).toBe(status);
    expect(fixture.account.requests.length).toBe(before);
  });

  campaignTest("other page loads never invalidate a page's token", async () => {
    const address = `${fixture.host.url}/custom_configs`;
    for (let load = 0; load < 26; load += 1)
      await Promise.all(Array.from({ length: 20 }, async () => (await fetch(address)).text()));
    expect((await sendRequest("POST", "/check", ours(), { key: "email", value: "a@b.co" })).status).toBe(200);
  });

  test.each([
    ["the page itself", {}, 200],
    ["another site", { "sec-fetch-site": "cross-site" }, 403],
    ["another origin", { origin: "https://evil.example" }, 403],
    ["a foreign host name", { host: "evil.example" }, 421],
  ])("a new token is issued to the installation page only: %s", async (_, headers, status) => {
    const answer = await sendRequest("GET", "/token", { "sec-fetch-site": "same-origin", ...headers });
    expect([answer.status, answer.text.includes(token)]).toEqual([status, status === 200]);
    expect(answer.headers).not.toHaveProperty("access-control-allow-origin");
  });

  test("a token expires with the host that issued it, and the page says so", async () => {
    const { status, text } = await sendRequest("POST", "/save", { ...ours(), "x-page-token": "" }, form);
    expect([status, JSON.parse(text)]).toEqual([
      403,
      { message: "This page is out of date. Reload it and try again." },
    ]);
  });
});

test.each([
  ["a body of the wrong shape", "/save", { values: [] }, 400],
  ["a body that is too large", "/save", { values: { note: "x".repeat(600_000) }, attributes: {} }, 413],
])("%s is rejected", async (_, path, body, status) => {
  expect((await sendRequest("POST", path, ours(), body)).status).toBe(status);
});

test("checks that the page requests follow the same rules as a save", async () => {
  const say = async (key: string, value: unknown) =>
    JSON.parse((await sendRequest("POST", "/check", ours(), { key, value })).text) as unknown;
  expect(await say("email", "nobody")).toEqual({ error: "Enter an email address, such as name@example.com." });
  expect(await say("email", "a@b.co")).toEqual({});
  expect(await say("nobody", "x")).toEqual({});
  expect(await say("constructor", "x")).toEqual({});
});

describe("the installation page", () => {
  test("may load from its own host only and can't be framed by other sites", async () => {
    const { headers } = await sendRequest("GET", "", {});
    expect(String(headers["content-security-policy"]).split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "img-src 'self' data:",
      "frame-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ]);
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "content-type": "text/html; charset=utf-8",
    });
  });

  test("runs callbacks in a frame with an opaque origin and without network access, wherever the frame is opened", async () => {
    const { headers } = await sendRequest("GET", "/frame", {});
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("sandbox allow-scripts");
    expect(policy).not.toContain("unsafe-inline");
    expect(policy).toMatch(/script-src 'sha256-[^']+' 'unsafe-eval'; frame-src 'none'/);
  });

  test("is smaller than 42 kB in total", async () => {
    const sizes = await Promise.all(
      ["/page.css", "/page.js", "/frame"].map(async (path) => (await sendRequest("GET", path, {})).text.length),
    );
    // The size excludes the app's callbacks. The page grows with the number of parameters.
    const own = sizes.reduce((sum, size) => sum + size, 0) - fixture.host.project().callbacksCode.length;
    expect(own).toBeLessThan(42_000);
  });

  test("is smaller than 30 kB around a custom page", async () => {
    const paths = ["/page.css", "/own-page.js", "/own-client.js"];
    const sizes = await Promise.all(paths.map(async (path) => (await sendRequest("GET", path, {})).text.length));
    expect(sizes.every((size) => size > 1_000)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(30_000);
  });
});

campaignDescribe("a callback can't reach other servers by", () => {
  test.each([
    "fetch",
    "image",
    "script",
    "inline",
    "socket",
    "beacon",
    "away",
    "top",
    "open",
    "form",
    "peer",
    "nested",
    "described",
    "page",
    "cookie",
    "storage",
  ])("%s", async (way) => {
    const visit = await fixture.visit();
    const { page } = visit;
    await page.getByText("Loaded with fine.").waitFor();
    await page.fill("[id=probe]", `${way} ${outsideAddress}`);
    if (!["away", "form", "beacon"].includes(way)) {
      const fault = page.locator("[data-field]:has([id=probe]) [data-part=error]");
      await waitUntil(async () => (await fault.textContent()) !== "");
    }
    // A page without these guards reaches the server afterwards.
    const control = await page.context().newPage();
    await control.goto(new URL("/control", outsideAddress).href);
    expect(reached.filter((path) => path !== "/favicon.ico")).toEqual(["/control"]);
    await control.close();
    expect(page.url()).toBe(`${fixture.host.url}/custom_configs`);
    await visit.leave();
  });
});

describe("a callback may", () => {
  test.each([
    ["compile", "As declared."],
    ["origin", "origin null"],
  ])("%s", async (way, hint) => {
    const visit = await fixture.visit();
    const { page } = visit;
    await page.getByText("Loaded with fine.").waitFor();
    await page.fill("[id=steer]", JSON.stringify(["text", { hint: "As declared." }]));
    await page.getByText("As declared.").waitFor();
    await page.fill("[id=probe]", `${way} x`);
    await page.getByText(hint).waitFor();
    // The page has handled what the frame sent before this.
    await page.fill("[id=steer]", JSON.stringify(["steer", { hint: "Afterwards." }]));
    await page.getByText("Afterwards.").waitFor();
    expect(await page.locator("[data-field]:has([id=probe]) [data-part=error]").textContent()).toBe("");
    await visit.leave();
  });
});

test("a message from another source than the frame, or of an unknown shape, is ignored", async () => {
  const visit = await fixture.visit();
  const { page } = visit;
  await page.getByText("Loaded with fine.").waitFor();
  await page.evaluate(() => {
    const forged = { t: "set", key: "text", attributes: { hint: "forged" } };
    window.postMessage(forged, "*");
    const stranger = document.createElement("iframe");
    document.body.append(stranger);
    stranger.contentWindow?.parent.postMessage(forged, "*");
  });
  await page.fill("[id=steer]", JSON.stringify(["steer", { hint: "Genuine." }]));
  await page.getByText("Genuine.").waitFor();
  expect(await page.getByText("forged").count()).toBe(0);
  await visit.leave();
});
