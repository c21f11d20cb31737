import { createServer, type Server } from "node:http";
import { cp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SESSION_TOKEN } from "@parley/contract";
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from "playwright-core";
import { waitUntil } from "../support/wait-until.ts";
import { launchBrowser } from "../../packages/framework/test/support/browser.ts";
import { frameOf } from "../../packages/framework/test/front/front-fixture.ts";
import { ROOT, startParley, temporaryFolder, type RunningParley } from "../support/parley-process.ts";
import { SESSION_COOKIE, signInReally, type RealSession } from "../support/real-session.ts";
import { startRecordingProxy, type RecordedRequest, type RecordingProxy } from "./recording-proxy.ts";
import { openInstallPage, OWN_PAGE, THEFT_PAGE, theftScript, type TheftResults } from "./session-theft-app.ts";

/**
 * Agents' sessions of the real service, and the code of an app in a real browser that looks for them: in a page for agents, and in the app's own
 * installation page.
 */

const APP_HOST = "app-front-pages.localhost";

let data: Awaited<ReturnType<typeof temporaryFolder>>;
let apps: Awaited<ReturnType<typeof temporaryFolder>>;
let running: RunningParley;
let proxy: RecordingProxy;
let browser: Browser;
let session: RealSession;
/** Another server on localhost, with the cookies that reached it, which serves the app's own page too. */
let other: Server;
let otherOrigin: string;
let received: string[];
let service: string;
let appPort: string;
let targets: { readonly origins: readonly string[]; readonly other: string };

const contextOf = async (
  { cookie }: Pick<RealSession, "cookie">,
  { isReadable = false, ...options }: BrowserContextOptions & { readonly isReadable?: boolean } = {},
): Promise<BrowserContext> => {
  const context = await browser.newContext(options);
  const place = { domain: "localhost", path: "/", httpOnly: !isReadable, sameSite: "Lax" as const };
  await context.addCookies([{ name: SESSION_COOKIE, value: cookie, ...place }]);
  return context;
};

const openAgentPage = async (context: BrowserContext): Promise<Page> => {
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  await page.goto(running.app);
  await page.locator("body[data-ready]").waitFor();
  return page;
};

beforeAll(async () => {
  [data, apps, proxy] = await Promise.all([temporaryFolder(), temporaryFolder(), startRecordingProxy()]);
  received = [];
  other = createServer((request, reply) => {
    received.push(request.headers.cookie ?? "");
    const isScript = request.url === "/app/theft.js";
    reply
      .writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" })
      .end(isScript ? theftScript(targets) : THEFT_PAGE);
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  otherOrigin = `http://localhost:${(other.address() as AddressInfo).port}`;
  const folder = join(apps.folder, "front-pages");
  await cp(join(ROOT, "packages/framework/test/fixtures/front-pages"), folder, { recursive: true });
  await rm(join(folder, "config/iparams.json"));
  await writeFile(join(folder, "config/iparams.html"), OWN_PAGE);
  [running, browser] = await Promise.all([
    startParley(data.folder, { folder, env: { PARLEY_APP_SIGN_IN: "on" } }),
    launchBrowser(proxy.browserArguments),
  ]);
  service = new URL(running.service).origin;
  appPort = new URL(running.app).port;
  targets = {
    origins: [
      service,
      service.replace("localhost", "127.0.0.1"),
      ...["localhost", "127.0.0.1", APP_HOST, "app-other.localhost"].map((name) => `http://${name}:${appPort}`),
    ],
    other: otherOrigin,
  };
  session = await signInReally(service, data.folder);
});
afterAll(async () => {
  await browser.close();
  await running.stop();
  await proxy.close();
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
  await Promise.all([data.remove(), apps.remove()]);
});

/** Adds the script to the app's page, as the app itself could. */
const stolenBy = async (frame: Frame): Promise<TheftResults> => {
  await frame.addScriptTag({ content: theftScript(targets) });
  return (await frame.evaluate("window.stolen")) as TheftResults;
};

test("the code of an app in one origin with a readable cookie has the session: the attempts work where no boundary is", async () => {
  const context = await contextOf(session, { isReadable: true });
  const page = await context.newPage();
  await page.goto(`${otherOrigin}/app/index.html`);
  const stolen = (await page.evaluate("window.stolen")) as TheftResults;
  expect(stolen.cookies).toContain(session.cookie);
  expect(stolen.read[`cors ${otherOrigin}/`]).toContain("theft.js");
  expect(received.join()).toContain(session.cookie);
  await context.close();
});

/**
 * Where the code runs, and the files that its frame loads there. The policy of the own installation page, which permits no requests to http, is
 * switched off in the browser: origins, cookies and the guards of the routes have to hold by themselves.
 */
const PLACES = [
  {
    place: "a page for agents",
    options: {},
    open: async (context: BrowserContext) => frameOf(await openAgentPage(context), "index.html"),
    files: ["/app/index.html", "/app/start.js", "/front/client.js"],
  },
  {
    place: "its own installation page",
    options: { bypassCSP: true },
    open: async (context: BrowserContext) => (await openInstallPage(context, running.installPage)).frame,
    files: ["/custom_configs/own/", "/custom_configs/own-client.js"],
  },
];

describe.each(PLACES)("the code of an app in $place", ({ options, open, files }) => {
  let results: TheftResults;
  let requests: RecordedRequest[];
  let pageCookie: string;
  beforeAll(async () => {
    const context = await contextOf(session, options);
    const before = proxy.requests.length;
    results = await stolenBy(await open(context));
    // The script stops waiting for answers earlier than a busy machine gives them.
    await waitUntil(() => needing(proxy.requests.slice(before)).length > NEEDING_MIN);
    pageCookie = (await context.cookies(`http://${APP_HOST}:${appPort}/`))[0]?.value ?? "";
    requests = proxy.requests.slice(before);
    await context.close();
  });

  /** Least number of requests that need a session and that the script can send. */
  const NEEDING_MIN = 10;
  const needing = (all: readonly RecordedRequest[]) =>
    fromApp(all).filter(({ host, path }) => host === new URL(service).host && /^\/(?:identity|v2|admin)\//.test(path));
  const ofFrames = () => requests.filter(({ host }) => host.startsWith("frame."));
  /** Requests that the app's page itself sent elsewhere. */
  const fromApp = (all: readonly RecordedRequest[] = requests) =>
    all.filter(
      ({ host, headers }) =>
        !host.startsWith("frame.") &&
        [headers.origin, headers.referer].some((from) => String(from ?? "").includes("//frame.")) &&
        headers["sec-fetch-dest"] !== "document",
    );

  test("runs beside the signed-in agent's page, in frames of its own host name", () => {
    expect(ofFrames().map(({ path }) => path)).toEqual(expect.arrayContaining(files));
    expect(fromApp().length).toBeGreaterThan(100);
    expect([session.cookie.length, session.token.length, pageCookie.length]).toEqual([43, 43, 43]);
  });

  test("receives no session: no request under the frames' host name has a cookie", () => {
    expect(ofFrames().flatMap(({ headers }) => headers.cookie ?? [])).toEqual([]);
  });

  test("reads neither the cookies nor the tokens, in no way", () => {
    const all = JSON.stringify(results);
    for (const secret of [session.cookie, session.token, pageCookie, SESSION_COOKIE, "x-page-token", "data-model"])
      expect(all).not.toContain(secret);
    const readable = Object.entries(results.read).filter(([, text]) => !["blocked", "opaque", ""].includes(text));
    expect(readable).toEqual([]);
  });

  test("reaches the service without the session cookie, and gets no success for a request that needs a session", () => {
    const atService = fromApp().filter(({ host }) => host === new URL(service).host);
    expect(atService.filter(({ headers }) => String(headers.cookie ?? "").includes(session.cookie))).toEqual([]);
    expect([...new Set(needing(requests).map(({ status }) => status))].filter((status) => status < 400)).toEqual([]);
  });

  test("is refused by the pages of the host, also where the browser adds the cookie of the agent's page", () => {
    const atHost = fromApp().filter(
      ({ host, path, status }) =>
        // 0: the browser ended the request before the answer.
        status !== 0 && host.endsWith(`:${appPort}`) && !path.startsWith("/app/") && !path.startsWith("/front/client"),
    );
    const withCookie = atHost.filter(({ headers }) => String(headers.cookie ?? "").includes(pageCookie));
    expect(withCookie.length).toBeGreaterThan(0);
    // 404: the host has no such address.
    expect(withCookie.filter(({ status }) => status !== 403 && status !== 404)).toEqual([]);
    expect(withCookie.some(({ status }) => status === 403)).toBe(true);
    expect(atHost.filter(({ status }) => status < 400)).toEqual([]);
  });
});

describe("another server on localhost", () => {
  const steal = async (): Promise<string> => {
    received.length = 0;
    const context = await contextOf(session);
    const page = await context.newPage();
    await page.goto(`${otherOrigin}/app/index.html`);
    await page.evaluate("window.stolen");
    await context.close();
    return received.find((cookie) => cookie.includes(session.cookie)) ?? "";
  };
  const ask = (method: string, path: string, headers: Record<string, string>) =>
    fetch(service + path, { method, headers, ...(method === "POST" && { body: "{}" }) });

  test("receives the cookie by the rules of browsers, and can do nothing at the service with it", async () => {
    const cookie = await steal();
    expect(cookie).toContain(session.cookie);
    const own = { cookie, [SESSION_TOKEN]: session.token };
    expect((await ask("GET", "/identity/session", own)).status).toBe(200);
    for (const [method, path] of [
      ["GET", "/identity/session"],
      ["GET", "/v2/agents"],
      ["POST", "/v2/conversations"],
      ["DELETE", "/identity/session"],
    ] as const)
      for (const token of [undefined, "", "x".repeat(43), session.cookie]) {
        const headers = { cookie, origin: service, "content-type": "application/json" };
        const response = await ask(method, path, {
          ...headers,
          ...(token !== undefined && { [SESSION_TOKEN]: token }),
        });
        expect([method, path, response.status]).toEqual([method, path, 401]);
      }
  });

  test("has a page that can't read or change anything at the service or the app host", async () => {
    const context = await contextOf(session);
    const page = await context.newPage();
    const before = proxy.requests.length;
    await page.goto(`${otherOrigin}/app/index.html`);
    const stolen = (await page.evaluate("window.stolen")) as TheftResults;
    const foreign = Object.entries(stolen.read).filter(([name]) => !name.includes(otherOrigin));
    expect(foreign.filter(([, text]) => !["blocked", "opaque", ""].includes(text))).toEqual([]);
    const sent = proxy.requests.slice(before);
    const changing = sent.filter(({ method, host }) => method === "POST" && host !== new URL(otherOrigin).host);
    expect(changing.length).toBeGreaterThan(0);
    expect(
      changing.filter(({ headers }) => String(headers.cookie ?? "").includes(session.cookie)).length,
    ).toBeGreaterThan(0);
    expect(changing.filter(({ status }) => status < 400)).toEqual([]);
    await context.close();
  });
});

describe("a start with PARLEY_APP_SIGN_IN=on", () => {
  test("shows who must sign in where, to somebody without a session", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    for (const address of [running.app, running.installPage, running.app.replace("localhost", APP_HOST)]) {
      const response = await page.goto(address);
      expect(response?.status()).toBe(401);
      expect(await page.getByRole("link", { name: "Sign in" }).getAttribute("href")).toBe(`${service}/sign-in`);
    }
    await context.close();
  });

  test("POST /admin/session-verifications 200: an admin with a session of the service changes a parameter", async () => {
    const context = await contextOf(session);
    const { page, frame } = await openInstallPage(context, running.installPage);
    await frame.fill("[id=note]", "changed by a signed-in admin");
    await page.getByRole("button", { name: /^(Install|Save changes)$/ }).click();
    await page.getByText("successfully stored").waitFor();
    await context.close();
  });

  test("an agent with a session has the agent's page, as itself, and not the installation page", async () => {
    const { agents } = (await (
      await fetch(`${running.service}/agents?is_deactivated=false&items_per_page=50`, {
        headers: { authorization: `Bearer ${running.token}` },
      })
    ).json()) as { agents: { id: string; email: string; role_id: string; is_deleted: boolean }[] };
    const plain = agents.find(({ role_id, is_deleted }) => role_id === "AGENT" && !is_deleted);
    const own = await signInReally(service, data.folder, plain?.email);
    const context = await contextOf(own);
    const page = await openAgentPage(context);
    expect(await page.locator("[data-agent]").inputValue()).toBe(plain?.id);
    const response = await page.goto(running.installPage);
    expect(response?.status()).toBe(403);
    await page.getByText("This page is for admins of the account.").waitFor();
    await context.close();
  });

  test("ends access with the end of the session", async () => {
    const brief = await signInReally(service, data.folder);
    const ask = async () =>
      (await fetch(running.installPage, { headers: { cookie: `${SESSION_COOKIE}=${brief.cookie}` } })).status;
    expect(await ask()).toBe(200);
    const headers = { cookie: `${SESSION_COOKIE}=${brief.cookie}`, [SESSION_TOKEN]: brief.token, origin: service };
    expect((await fetch(`${service}/identity/session`, { method: "DELETE", headers })).status).toBe(200);
    await waitUntil(async () => (await ask()) === 401);
  });
});
