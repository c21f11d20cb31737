import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { certificate } from "../../egress/test/certificate-builder.ts";
import { launchBrowser } from "../../framework/test/support/browser.ts";
import { settledState } from "../../framework/test/front/front-fixture.ts";
import {
  COOKIE_CONTROL_ARGUMENTS,
  frontPagesFiles,
  openConsolePage,
  signInToConsole,
  type ConsoleSession,
} from "./console-page-harness.ts";
import { createAgent } from "./platform-browser-sessions.ts";
import { ADMIN_KEY, platformHarness, type PlatformHarness } from "./platform-harness.ts";

/** An app inside the console as in production: https behind a proxy, and the apps at another registrable domain than the service. */

const SIDEBAR = "chat_conversation.conversation_user_info";
const SERVICE_HOST = "chat.example.test";
const APPS_HOST = "apps.other-example.test";

let platform: PlatformHarness;
let proxy: Server;
let port: number;
let browser: Browser;
let session: ConsoleSession;
let conversation: string;

/** Ends TLS, and passes requests on by their host name with the Host header unchanged. */
const startProxy = async (): Promise<Server> => {
  const server = createServer(certificate(SERVICE_HOST), (incoming, reply) => {
    const isApps = (incoming.headers.host ?? "").replace(/:\d+$/, "").endsWith(APPS_HOST);
    const target = isApps ? platform.platform.port : platform.service.port;
    const { method, url, headers } = incoming;
    const outgoing = request({ host: "127.0.0.1", port: target, method, path: url, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    outgoing.on("error", () => reply.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
};

beforeAll(async () => {
  proxy = await startProxy();
  ({ port } = proxy.address() as AddressInfo);
  const serviceOrigin = `https://${SERVICE_HOST}:${port}`;
  const appsUrl = `https://${APPS_HOST}:${port}`;
  [platform, browser] = await Promise.all([
    platformHarness(
      { serviceOrigin, appsUrl, domainSuffix: `.${SERVICE_HOST}` },
      { publicUrl: serviceOrigin, domain: SERVICE_HOST },
    ),
    launchBrowser([...COOKIE_CONTROL_ARGUMENTS, "--host-resolver-rules=MAP *.test 127.0.0.1"]),
  ]);
  await platform.publish(await frontPagesFiles(), "name=front-pages&version=1.0.0");
  await platform.install("acme", { name: "front-pages" });
  conversation = await platform.write("acme", "Where is my order?");
  const agent = await createAgent(platform, "acme", "AGENT");
  const local = await signInToConsole(platform.serviceOrigin, ADMIN_KEY, { account: "acme", agent });
  session = { ...local, cookie: `__Host-${local.cookie}` };
});
afterAll(async () => {
  await browser?.close();
  proxy?.closeAllConnections();
  proxy?.close();
  await platform?.close();
});

test.each([SERVICE_HOST, `acme.${SERVICE_HOST}`])(
  "an app at another registrable domain works in the console at https://%s",
  async (name) => {
    const host = await openConsolePage({ browser, origin: `https://${name}:${port}`, session });
    const [app] = await host.apps();
    expect(app?.origin).toBe(`https://front-pages--acme.${APPS_HOST}:${port}`);
    if (!app) return;
    await host.embed(app, SIDEBAR, conversation);
    const frame = await host.appFrame();
    expect(await settledState(frame, `client.data.get("conversation")`)).toMatchObject([
      "ok",
      { conversation: { conversation_id: conversation } },
    ]);
    const notice = `client.interface.trigger("showNotify", { type: "info", message: "Hi" })`;
    expect((await settledState(frame, notice))[0]).toBe("ok");
    expect(await host.act("notify")).toMatchObject([{ message: "Hi" }]);
    await frame.evaluate(`localStorage.setItem("kept", "yes")`);
    await host.context.close();
  },
);

test("the policy of the page names the origins of the service and of the account's host", async () => {
  const host = await openConsolePage({ browser, origin: `https://${SERVICE_HOST}:${port}`, session });
  const answer = await host.page.goto(`https://front-pages--acme.${APPS_HOST}:${port}/embed`);
  const origins = `https://${SERVICE_HOST}:${port} https://acme.${SERVICE_HOST}:${port}`;
  expect((await answer?.headerValue("content-security-policy"))?.split("; ").at(-1)).toBe(`frame-ancestors ${origins}`);
  await host.context.close();
});

test("the page for agents connects to the app's frames under public host names", async () => {
  const host = await openConsolePage({ browser, origin: `https://${SERVICE_HOST}:${port}`, session });
  await host.page.goto(`https://front-pages--acme.${APPS_HOST}:${port}/`);
  await host.page.locator("body[data-ready]").waitFor();
  const frame = await host.appFrame();
  expect(await settledState(frame, `client.data.get("loggedInAgent")`)).toMatchObject([
    "ok",
    { loggedInAgent: { id: session.agentId } },
  ]);
  await host.context.close();
});
