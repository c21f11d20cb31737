import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../../test/support/campaign.ts";
import type { FrontModel } from "@parley/contract";
import type { Frame, Page } from "playwright-core";
import { KEY } from "../support/fake-account.ts";
import { launchBrowser } from "../support/browser.ts";
import { AGENT_PAGE_TOKEN } from "./fake-front-service.ts";
import { frameOf, frontFixture, VALUES, type FrontFixture } from "./front-fixture.ts";

/** Restrictions of the app's frames and of other pages. */

let fixture: FrontFixture;
let page: Page;
let frame: Frame;
let token: string;
beforeAll(async () => {
  fixture = await frontFixture("front-pages");
  fixture.service.createConversation("c-1", "Sam", "Where is my order?");
  await fixture.host.install(VALUES);
  page = await fixture.visit();
  frame = await frameOf(page, "index.html");
  const model = await page.locator("[data-conversation-page]").getAttribute("data-model");
  ({ token } = JSON.parse(model ?? "{}") as FrontModel);
});
afterAll(() => fixture.close());

/** Node's fetch doesn't send some of these headers. */
const sendRequest = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
  new Promise<{ status: number; text: string; headers: Record<string, unknown> }>((resolve, reject) => {
    const outgoing = request(`${fixture.host.url}${path}`, { method, headers, agent: false }, (reply) => {
      let text = "";
      reply.setEncoding("utf8").on("data", (part: string) => (text += part));
      reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text, headers: reply.headers }));
    });
    outgoing.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
  });

const ownHeaders = () => ({
  "content-type": "application/json",
  "x-page-token": token,
  origin: fixture.host.url,
  "sec-fetch-site": "same-origin",
});

const questions: [string, unknown][] = [
  ["/front/look", {}],
  ["/front/call", { question: { of: "iparams.get" } }],
  ["/front/send", { conversation: "c-1", agent: "agent-1", text: "Hello" }],
  ["/front/change", { conversation: "c-1", assign: "agent-1" }],
];

describe("only the host page itself may send", () => {
  test.each(questions)("POST %s", async (path, body) => {
    expect((await sendRequest("POST", path, ownHeaders(), body)).status).toBe(200);
  });

  test.each(
    questions.flatMap(([path, body]): [string, string, Record<string, string>, unknown][] => [
      [path, "another origin", { origin: "https://elsewhere.example" }, body],
      [path, "the frames' origin", { origin: "http://frame.app-front-pages.localhost:10001" }, body],
      [path, "no origin of its own", { origin: "null" }, body],
      [path, "the frames' site", { "sec-fetch-site": "same-site" }, body],
      [path, "another site", { "sec-fetch-site": "cross-site" }, body],
      [path, "a made-up token", { "x-page-token": "guess" }, body],
      [path, "no token", { "x-page-token": "" }, body],
    ]),
  )("POST %s is rejected with %s", async (path, _title, headers, body) => {
    expect((await sendRequest("POST", path, { ...ownHeaders(), ...headers }, body)).status).toBe(403);
  });

  test.each([
    ["/front/look", { conversation: 7 }],
    ["/front/look", { strange: 1 }],
    ["/front/call", {}],
    ["/front/call", { question: { of: "secrets.get" } }],
    ["/front/call", { question: { of: "iparams.get", key: "x".repeat(300) } }],
    ["/front/call", { question: { of: "request.fetch", method: "trace", url: "https://x.example", options: {} } }],
    ["/front/send", { conversation: "c-1", agent: "agent-1", text: "" }],
    ["/front/send", { conversation: "c-1", agent: "agent-1", text: "x".repeat(70_000) }],
    ["/front/change", { conversation: "c-1", status: "new" }],
    ["/front/change", []],
  ])("POST %s with the body %.60j is rejected with its error", async (path, body) => {
    const { status, text } = await sendRequest("POST", path, ownHeaders(), body);
    expect([status, text]).toEqual([400, expect.stringContaining("This can't be asked")]);
  });
});

describe("under the host name of the frames", () => {
  const framesHost = (app = "front-pages") => ({ host: `frame.app-${app}.localhost:${fixture.host.port}` });

  test.each([
    "/",
    "/custom_configs",
    "/custom_configs/page.js",
    "/front/page.js",
    "/front/page.css",
    "/app/../custom_configs",
  ])("%s is not served", async (path) => {
    for (const app of ["front-pages", "another-app"])
      expect((await sendRequest("GET", path, framesHost(app))).status).toBe(421);
  });

  test.each(["/events", "/front/call", "/custom_configs/save"])("POST %s is not served", async (path) => {
    expect((await sendRequest("POST", path, { ...ownHeaders(), ...framesHost() }, {})).status).toBe(421);
  });

  test.each(["/app/index.html", "/app/start.js", "/front/client.js"])("%s is served", async (path) => {
    expect((await sendRequest("GET", path, framesHost())).status).toBe(200);
  });

  test("a page of the app may be framed by the host page only", async () => {
    const { headers } = await sendRequest("GET", "/app/index.html", framesHost());
    const port = fixture.host.port;
    expect(headers["content-security-policy"]).toBe(`frame-ancestors http://app-front-pages.localhost:${port}`);
  });
});

describe("the app's script in its frame", () => {
  test("has another origin than the page, with its own storage", async () => {
    expect(await frame.evaluate("location.origin")).toBe(`http://frame.app-front-pages.localhost:${fixture.host.port}`);
    expect(await frame.evaluate("(localStorage.setItem('k', 'v'), localStorage.getItem('k'))")).toBe("v");
    expect(await page.evaluate("localStorage.getItem('k')")).toBeNull();
  });

  campaignTest("has its own storage where third-party cookies are blocked", async () => {
    const strict = await launchBrowser(["--test-third-party-cookie-phaseout"]);
    try {
      const strictPage = await strict.newPage();
      await strictPage.goto(fixture.printed);
      await strictPage.locator("body[data-ready]").waitFor();
      const strictFrame = await frameOf(strictPage, "index.html");
      expect(await strictFrame.evaluate("(localStorage.setItem('k', 'v'), localStorage.getItem('k'))")).toBe("v");
      expect(await strictFrame.evaluate("(document.cookie = 'c=1', document.cookie)")).toBe("c=1");
      expect(await strictFrame.evaluate("caches.has('k').then(() => 'there', String)")).toBe("there");
    } finally {
      await strict.close();
    }
  });

  test("keeps cookies for its own site: neither other apps nor other servers on this machine receive them", async () => {
    const port = fixture.host.port;
    await frame.evaluate("document.cookie = 'own=1; path=/'");
    await frame.evaluate("document.cookie = 'wide=1; path=/; domain=app-front-pages.localhost'");
    await frame.evaluate("document.cookie = 'everywhere=1; path=/; domain=localhost'");
    const cookiesAt = async (host: string) =>
      (await page.context().cookies(`http://${host}:${port}/`)).map(({ name }) => name).sort();
    expect(await cookiesAt("frame.app-front-pages.localhost")).toEqual(["own", "wide"]);
    for (const host of ["localhost", "127.0.0.1", "app-another.localhost", "frame.app-another.localhost"])
      expect(await cookiesAt(host)).toEqual([]);
  });

  test("can't become same-origin with the page through document.domain", async () => {
    const outcome = "try { document.domain = 'app-front-pages.localhost' } catch {} originAgentCluster";
    expect(await frame.evaluate(outcome)).toBe(true);
    expect(await page.evaluate("originAgentCluster")).toBe(true);
    await page.evaluate("try { document.domain = 'app-front-pages.localhost' } catch {}");
    await expect(frame.evaluate("parent.document.body.innerHTML")).rejects.toThrow(/cross-origin|Blocked a frame/);
  });

  test.each([
    "parent.document.body.innerHTML",
    "top.location.href",
    "parent.frames[1].document.title + parent.localStorage.length",
  ])("can't read %s", async (expression) => {
    await expect(frame.evaluate(expression)).rejects.toThrow(/cross-origin|Blocked a frame/);
  });

  test.each(["/", "/custom_configs", "/custom_configs/frame", "/front/page.js"])(
    "can't fetch %s of the host",
    async (path) => {
      for (const host of ["localhost", "127.0.0.1", "app-front-pages.localhost"]) {
        const address = `http://${host}:${fixture.host.port}${path}`;
        const text = await frame.evaluate(
          `fetch("${address}", { credentials: "include" }).then((reply) => reply.text()).catch(() => "blocked")`,
        );
        expect(text).toBe("blocked");
      }
    },
  );

  test("can't send requests to the host by itself, even with a token", async () => {
    const before = fixture.service.requests.filter((line) => line.startsWith("POST")).length;
    for (const origin of [fixture.printed, fixture.address]) {
      const outcome = await frame.evaluate(
        `fetch("${origin}front/send", { method: "POST", headers: { "content-type": "application/json", "x-page-token": "${token}" }, ` +
          `body: JSON.stringify({ conversation: "c-1", agent: "agent-1", text: "x" }) }).then((r) => r.status).catch(() => "blocked")`,
      );
      expect(outcome).toBe("blocked");
    }
    expect(fixture.service.requests.filter((line) => line.startsWith("POST")).length).toBe(before);
  });

  campaignTest.each([
    ["custom_configs", () => fixture.printed],
    ["custom_configs", () => fixture.address],
    ["", () => fixture.printed],
    ["", () => fixture.address],
    ["front/page.js", () => fixture.printed],
    ["front/page.js", () => fixture.address],
  ])("can't navigate its own frame to /%s of the host", async (path, origin) => {
    const own = await fixture.visit();
    const away = await frameOf(own, "index.html");
    // The browser shows its own page about a refusal in the frame.
    await Promise.all([
      own.waitForEvent("framenavigated"),
      away.evaluate(`void setTimeout(() => { location.href = "${origin()}${path}"; })`),
    ]);
    const frames = own.frames().slice(1);
    for (const one of frames) expect(one.url()).not.toContain(`localhost:${fixture.host.port}/${path || "?"}`);
    const shown = await Promise.all(frames.map((one) => one.content().catch(() => "")));
    expect(shown.join("")).not.toContain("x-page-token");
    expect(shown.join("")).not.toContain("data-model");
    await own.context().close();
  });

  test("can't navigate the page", async () => {
    const navigate = `{ let refusal; try { top.location.href = "about:blank"; } catch ({ name }) { refusal = name; } refusal }`;
    expect(await frame.evaluate(navigate)).toBe("SecurityError");
    expect(page.url()).toContain(fixture.address);
  });

  test("that floods the channel with invalid messages has no effect", async () => {
    const errors: string[] = [];
    page.on("pageerror", (error) => void errors.push(error.message));
    await page.evaluate(
      `void (window.last = new Promise((go) => addEventListener("message", ({ data }) => data === "last" && go(data))))`,
    );
    await frame.evaluate(`
      for (const data of [null, 1, "x", { t: "reply" }, { t: "constructor" }, { t: "parley:hello" }, { t: "trigger" }, "last"])
        parent.postMessage(data, "*");
    `);
    expect(await page.evaluate("last")).toBe("last");
    expect(errors).toEqual([]);
  });
});

test("a page opened directly has an opaque origin and links to the host page", async () => {
  const directPage = await page.context().newPage();
  const consoleLines: string[] = [];
  directPage.on("console", (message) => void consoleLines.push(message.text()));
  await directPage.goto(`${fixture.address}app/index.html`);
  expect(await directPage.evaluate("origin")).toBe("null");
  const failure = await directPage.evaluate("app.initialized().catch((failure) => failure)");
  expect(failure).toMatchObject({ status: 400, message: expect.stringContaining("stands by itself") as unknown });
  await directPage.close();
});

campaignTest(
  "a browser that can't resolve the frames' host name shows the frames with an opaque origin, and they work",
  async () => {
    const context = await fixture.browser.newContext();
    await context.route(/frame\.app-/, (route) => route.abort());
    const other = await context.newPage();
    await other.goto(fixture.printed);
    await other.locator("body[data-ready]").waitFor();
    const opaqueFrame = await frameOf(other, "index.html");
    expect(other.url()).toContain(fixture.printed);
    expect(await opaqueFrame.evaluate("origin")).toBe("null");
    expect(await opaqueFrame.evaluate("client.data.get('domainName')")).toEqual({ domainName: VALUES.domain });
    await expect(opaqueFrame.evaluate("parent.document.body.innerHTML")).rejects.toThrow(
      /cross-origin|Blocked a frame/,
    );
    await context.close();
  },
);

test.each(["localhost", "127.0.0.1"])(
  "a page opened at %s redirects to the app's own host name with path and query",
  async (host) => {
    const context = await fixture.browser.newContext();
    const opened = await context.newPage();
    await opened.goto(`http://${host}:${fixture.host.port}/?conversation=c-1#top`);
    await opened.waitForURL(`${fixture.address}?conversation=c-1*#top`);
    await opened.locator("body[data-ready]").waitFor();
    await context.close();
  },
);

test("no response of the host contains the API key or the agent page's token", async () => {
  const answers = await Promise.all([
    sendRequest("GET", "/", {}),
    sendRequest("GET", "/front/client.js", {}),
    ...questions.map(([path, body]) => sendRequest("POST", path, ownHeaders(), body)),
  ]);
  for (const { text } of answers) {
    expect(text).not.toContain(KEY);
    expect(text).not.toContain(AGENT_PAGE_TOKEN);
  }
});

test("the host page runs its own scripts only and can't be framed", async () => {
  const policy = String((await sendRequest("GET", "/", {})).headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain("unsafe");
});
