import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { pagesHarness, type PagesHarness } from "./pages-harness.ts";

/** A browser on its way to a page of an app, at a host name of its own, and pages of others that want its ticket. */

let s: PagesHarness;
let pool: Pool;
/** Serves pages of apps. */
let apps: Server;
/** Serves a page that requests the address in a frame and by a script, and passes requests on without the headers of the browser. */
let attacker: Server;
const requested: { readonly host: string; readonly url: string; readonly referer: string | undefined }[] = [];
const listen = (server: Server) =>
  new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
let appsPort: number;
let attackerPort: number;
beforeAll(async () => {
  apps = createServer(({ url = "", headers }, reply) => {
    if (url !== "/favicon.ico") requested.push({ host: headers.host ?? "", url, referer: headers.referer });
    reply.setHeader("content-type", "text/html").end(`<link rel="icon" href="data:,"><h1>Page of an app</h1>`);
  });
  appsPort = await listen(apps);
  s = await pagesHarness({ config: { appsUrl: `http://apps.localhost:${appsPort}` } });
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  attacker = createServer((request, reply) => {
    const { url = "", headers } = request;
    if (url.startsWith("/sign-in/"))
      return void passOn(url, headers.cookie).then(({ status, location, text }) =>
        reply.writeHead(status, location === null ? {} : { location }).end(text),
      );
    const address = (url === "/without-headers" ? `http://127.0.0.1:${attackerPort}` : s.origin) + pathOf("/");
    reply.setHeader("content-type", "text/html").end(
      `<link rel="icon" href="data:,">
       <iframe src="${address}"></iframe>
       <script>
         fetch(${JSON.stringify(address)}, { credentials: "include", mode: "no-cors" })
           .catch(() => undefined).finally(() => document.body.append("done"));
       </script>`,
    );
  });
  attackerPort = await listen(attacker);
});
afterAll(async () => {
  apps.close();
  attacker.close();
  await pool.end();
  await s.close();
});

const appOrigin = () => `http://concierge--acme.apps.localhost:${appsPort}`;
const pathOf = (path: string) => `/sign-in/page?to=${encodeURIComponent(appOrigin() + path)}`;
/** Sends a request of a browser to the service, like a browser that sends no Sec-Fetch headers. */
const passOn = async (path: string, cookie = "") => {
  const reply = await fetch(s.origin + path, { headers: { cookie }, redirect: "manual" });
  return { status: reply.status, location: reply.headers.get("location"), text: await reply.text() };
};
const tickets = async () =>
  (await pool.one<{ count: number }>(statement("", "select count(*)::integer as count from page_tickets"), []))?.count;

test("signs in and returns to the app's page with a ticket, and is not asked again by the next page", async () => {
  const { page } = await s.open(pathOf("/custom_configs?a=b"));
  await page.waitForURL(`${s.origin}/sign-in?next=*`);
  await s.signInOn(page, "olivia@acme.example");
  await page.getByRole("heading", { name: "Page of an app" }).waitFor();
  const address = new URL(page.url());
  expect([address.origin, address.pathname, address.searchParams.get("to")]).toEqual([
    appOrigin(),
    "/enter",
    "/custom_configs?a=b",
  ]);
  await page.goto(s.origin + pathOf("/admin/records"));
  await page.getByRole("heading", { name: "Page of an app" }).waitFor();
  expect(new URL(page.url()).searchParams.get("to")).toBe("/admin/records");
  const redeemed = await s.adminRequest<{ agent?: { email: string } }>("POST", "/admin/page-tickets/redemptions", {
    ticket: new URL(page.url()).searchParams.get("ticket"),
    origin: appOrigin(),
  });
  expect(redeemed.body.agent?.email).toBe("olivia@acme.example");
  expect(requested.every(({ referer }) => referer === undefined)).toBe(true);
});

test("returns to the app's page by a link that signs in", async () => {
  const link = await s.signInLink("olivia@acme.example");
  const { page } = await s.open(`${link}?next=${encodeURIComponent(pathOf("/"))}`);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Page of an app" }).waitFor();
});

test("a frame or a script of another page gets no ticket, which it could if the browser did not name them", async () => {
  const { page } = await s.open("/sign-in");
  await s.signInOn(page, "olivia@acme.example");
  await page.waitForURL(`${s.origin}/profile`);
  /** -> whether a ticket reached the app's page. The attacker is on the same site, so that its requests have the cookie. */
  const visit = async (path: string) => {
    await pool.rows(statement("", "delete from page_tickets"), []);
    requested.length = 0;
    const tab = await page.context().newPage();
    await tab.goto(`http://127.0.0.1:${attackerPort}${path}`);
    await tab.getByText("done").waitFor();
    await tab.waitForLoadState("networkidle");
    await tab.close();
    return {
      tickets: await tickets(),
      entered: requested.filter(({ url }) => url.startsWith("/enter?ticket=")).length,
    };
  };
  expect(await visit("/without-headers")).toEqual({ tickets: 2, entered: 2 });
  expect(await visit("/")).toEqual({ tickets: 0, entered: 0 });
});

test("a link of another page opens the app's page, since the ticket goes to the app only", async () => {
  const { page } = await s.open("/sign-in");
  await s.signInOn(page, "olivia@acme.example");
  await page.waitForURL(`${s.origin}/profile`);
  await page.goto(`http://127.0.0.1:${attackerPort}/`);
  await page.evaluate((address) => location.assign(address), s.origin + pathOf("/"));
  await page.getByRole("heading", { name: "Page of an app" }).waitFor();
  expect(new URL(page.url()).origin).toBe(appOrigin());
});
