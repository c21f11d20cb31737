import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { SESSION_TOKEN, type ConsoleApp } from "@parley/contract";
import type { Browser, Frame, Page, Route } from "playwright-core";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { launchBrowser } from "../../framework/test/support/browser.ts";
import { settledState } from "../../framework/test/front/front-fixture.ts";
import {
  COOKIE_CONTROL_ARGUMENTS,
  frontPagesFiles,
  openConsolePage,
  signInToConsole,
  type ConsolePage,
  type ConsolePageOptions,
  type ConsoleSession,
} from "./console-page-harness.ts";
import { createAgent } from "./platform-browser-sessions.ts";
import { ADMIN_KEY, platformHarness, type PlatformHarness } from "./platform-harness.ts";

/** Which pages can embed an app, and what an app's page inside the console can be used for, in a browser. */

const SIDEBAR = "chat_conversation.conversation_user_info";

let platform: PlatformHarness;
let browser: Browser;
let origin: string;
let session: ConsoleSession;
let conversation: string;
let app: ConsoleApp;
let stranger: Server;
const opened: ConsolePage[] = [];

beforeAll(async () => {
  [platform, browser] = await Promise.all([platformHarness(), launchBrowser(COOKIE_CONTROL_ARGUMENTS)]);
  origin = `http://localhost:${platform.service.port}`;
  await platform.publish(await frontPagesFiles(), "name=front-pages&version=1.0.0");
  await platform.install("acme", { name: "front-pages" });
  conversation = await platform.write("acme", "Where is my order?");
  const agent = await createAgent(platform, "acme", "AGENT");
  session = await signInToConsole(origin, ADMIN_KEY, { account: "acme", agent });
  stranger = createServer((_request, reply) => reply.writeHead(200, { "content-type": "text/html" }).end("<p>x</p>"));
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  const reply = await fetch(`${origin}/console/api/apps`, {
    headers: { cookie: session.cookie, [SESSION_TOKEN]: session.token },
  });
  const [first] = ((await reply.json()) as { apps: ConsoleApp[] }).apps;
  if (!first) throw new Error("The service lists no apps.");
  app = first;
});
afterAll(async () => {
  await browser?.close();
  stranger?.closeAllConnections();
  stranger?.close();
  await platform?.close();
});
afterEach(async () => {
  for (const page of opened.splice(0)) await page.context.close();
});

const openPage = async (more: Partial<ConsolePageOptions> = {}): Promise<ConsolePage> => {
  const page = await openConsolePage({ browser, origin, session, ...more });
  opened.push(page);
  return page;
};

/** Resolves when a page or frame has handled the events that it had received. */
const nextTask = (place: Page | Frame): Promise<unknown> =>
  place.evaluate(
    "new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); })",
  );

/** Puts an address into a frame. -> whether the browser shows it, and not its own page about a refusal */
const isFramed = async (page: Page, address: string): Promise<boolean> => {
  await page.evaluate(
    `void (document.body.append(Object.assign(document.createElement("iframe"), { src: ${JSON.stringify(address)}, className: "probe" })))`,
  );
  const handle = await page.waitForSelector("iframe.probe");
  const frame = await handle.contentFrame();
  await frame?.waitForLoadState("load");
  const url = frame?.url() ?? "";
  await handle.evaluate((element) => element.remove());
  return url === address;
};

describe("the page for the console", () => {
  test("can be framed by the console's own origins, and by no other", async () => {
    const { port } = platform.service;
    const { page } = await openPage();
    for (const own of [`localhost:${port}`, `127.0.0.1:${port}`, `acme.parley.localhost:${port}`]) {
      await page.goto(`http://${own}/live`);
      expect([own, await isFramed(page, `${app.origin}/embed?place=${SIDEBAR}`)]).toEqual([own, true]);
    }
    const { port: other } = stranger.address() as AddressInfo;
    const apps = `http://apps.localhost:${platform.platform.port}`;
    for (const foreign of [
      `http://localhost:${other}/`,
      `http://127.0.0.1:${other}/`,
      `http://acme.parley.localhost:${other}/`,
      `http://solo.parley.localhost:${port}/live`,
      `${apps}/live`,
    ]) {
      await page.goto(foreign);
      expect([foreign, await isFramed(page, `${app.origin}/embed?place=${SIDEBAR}`)]).toEqual([foreign, false]);
    }
  });

  test("is the only page that the console can frame, besides the app's own files", async () => {
    const { page } = await openPage();
    const frames = app.origin.replace("//", "//frame--");
    expect(await isFramed(page, `${app.origin}/embed`)).toBe(true);
    expect(await isFramed(page, `${frames}/app/panel.html`)).toBe(true);
    for (const path of ["/", "/custom_configs", "/enter"])
      expect([path, await isFramed(page, app.origin + path)]).toEqual([path, false]);
    const { port: other } = stranger.address() as AddressInfo;
    await page.goto(`http://localhost:${other}/`);
    expect(await isFramed(page, `${frames}/app/panel.html`)).toBe(false);
  });

  test("shows the conversation that its address names, without another message", async () => {
    const host = await openPage();
    await host.page.evaluate(`window.embed(${JSON.stringify(app)}, { id: "${SIDEBAR}", kind: "sidebar", label: "x" })`);
    await host.page.evaluate(`document.querySelector("#place iframe").src += "&conversation=${conversation}"`);
    const frame = await host.appFrame();
    expect(await settledState(frame, `client.data.get("conversation")`)).toMatchObject([
      "ok",
      { conversation: { conversation_id: conversation } },
    ]);
  });

  test("gives nothing to a page of the same browser that opens it and answers its greeting", async () => {
    const { page, context } = await openPage();
    const popup = await context.newPage();
    await popup.goto(`http://localhost:${(stranger.address() as AddressInfo).port}/`);
    const address = `${app.origin}/embed?place=${SIDEBAR}`;
    const [embedded] = await Promise.all([
      context.waitForEvent("page"),
      popup.evaluate(`{
        window.heard = [];
        addEventListener("message", ({ data }) => heard.push(data));
        window.opened = open(${JSON.stringify(address)});
      }`),
    ]);
    await embedded.waitForLoadState("load");
    await popup.evaluate(`{
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => heard.push(data);
      opened.postMessage({ t: "parley:embed-welcome", version: 1 }, "*", [port2]);
    }`);
    // Each page has handled the messages that were posted to it before.
    for (const each of [embedded, popup]) await nextTask(each);
    expect(await popup.evaluate("heard")).toEqual([]);
    await page.close();
  });
});

describe("the module of the console", () => {
  test("answers no greeting of another frame, and no message of an unknown form", async () => {
    const host = await openPage();
    await host.embed(app, SIDEBAR, conversation);
    await host.appFrame();
    const tickets = async () => (await host.acts()).filter(([name]) => name === "ticket").length;
    expect(await tickets()).toBe(1);
    // Another frame of the app's own host, which is not the module's.
    await host.page.evaluate(
      `void document.body.append(Object.assign(document.createElement("iframe"), { src: ${JSON.stringify(`${app.origin}/embed?place=${SIDEBAR}`)} }))`,
    );
    const isOther = (frame: Frame) => frame.url() === `${app.origin}/embed?place=${SIDEBAR}`;
    const other = await waitUntil(() => host.page.frames().find(isOther));
    await other.waitForLoadState("load");
    // The frame has posted its greeting, and the page has handled it.
    for (const each of [other, host.page]) await nextTask(each);
    expect(await tickets()).toBe(1);
    expect(host.page.frames().filter((frame) => frame.url().includes("/app/index.html"))).toHaveLength(1);
  });

  test("shows why the app can't be shown where the console gives no ticket", async () => {
    const host = await openPage();
    await host.page.evaluate(`window.token = "x".repeat(43)`);
    await host.embed(app, SIDEBAR, conversation);
    expect(await host.act("failed")).toMatchObject([{ status: 400, message: expect.stringContaining("session") }]);
    expect(host.page.frames().some((frame) => frame.url().includes("/app/"))).toBe(false);
    await host.page.frameLocator("#place iframe").getByRole("alert").waitFor();
  });

  test("reports a page that does not connect in time", async () => {
    const host = await openPage();
    await host.page.clock.install();
    await host.embed({ ...app, origin: `http://127.0.0.1:${(stranger.address() as AddressInfo).port}` }, SIDEBAR);
    await host.page.clock.fastForward(16_000);
    expect(await host.acts()).toMatchObject([["failed", { status: 504 }]]);
  });

  test("shows that a place is unknown", async () => {
    const host = await openPage();
    await host.embed(app, "common.nowhere", conversation);
    expect(await host.act("failed")).toMatchObject([{ status: 404 }]);
  });
});

test("third-party cookies are not needed: the app works where the browser sends no such cookies", async () => {
  const host = await openPage();
  const { hostname } = new URL(app.origin);
  const probe = { name: "probe", value: "1", domain: hostname, path: "/", sameSite: "None", secure: true } as const;
  await host.context.addCookies([probe]);
  const sent: Promise<string>[] = [];
  host.page.on("request", (request) => {
    if (new URL(request.url()).hostname === hostname) sent.push(request.allHeaders().then(({ cookie = "" }) => cookie));
  });
  await host.embed(app, SIDEBAR, conversation);
  const frame = await host.appFrame();
  expect((await settledState(frame, `client.data.get("conversation")`))[0]).toBe("ok");
  expect([sent.length > 3, (await Promise.all(sent)).filter((cookie) => cookie !== "")]).toEqual([true, []]);
  // The browser sends this cookie where the app's host is not a third party. Some browsers send no other by default.
  const own = await host.context.newPage();
  const [request] = await Promise.all([own.waitForRequest("**"), own.goto(`${app.origin}/`)]);
  expect((await request.allHeaders())["cookie"]).toContain("probe=1");
});

test("an agent whose scope was taken away gets nothing from an open page", async () => {
  const client = await platform.client("acme");
  const created = { email: "boundary@example.com", role_id: "AGENT", first_name: "Kay" };
  const { id } = await client.agents.createAgent({ body: created });
  const setScope = (scope: string) => platform.admin("PUT", `/admin/accounts/acme/agents/${id}`, { scope });
  await setScope("Global");
  const own = await signInToConsole(origin, ADMIN_KEY, { account: "acme", agent: id });
  const host = await openPage({ session: own });
  await host.embed(app, SIDEBAR, conversation);
  const frame = await host.appFrame();
  const ask = () => settledState(frame, `client.data.get("conversation")`);
  expect((await ask())[0]).toBe("ok");
  await setScope("None");
  await platform.until(async () => ((await ask())[0] === "no" ? true : undefined));
  expect(await ask()).toMatchObject(["no", { status: 403 }]);
  expect(await settledState(frame, `client.db.get("k")`)).toMatchObject(["no", { status: 403 }]);
  expect(await host.apps()).toEqual([]);
});

test("the app works again in an open page after the platform has forgotten its token", async () => {
  const host = await openPage();
  await host.embed(app, SIDEBAR, conversation);
  const frame = await host.appFrame();
  const withOldToken = (route: Route) =>
    route.continue({ headers: { ...route.request().headers(), "x-page-token": "old" } });
  await host.page.route("**/front/call", withOldToken, { times: 1 });
  expect((await settledState(frame, `client.data.get("conversation")`))[0]).toBe("ok");
  expect((await host.acts()).filter(([name]) => name === "ticket")).toHaveLength(2);
});
