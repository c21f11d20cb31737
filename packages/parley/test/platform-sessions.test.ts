import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { greeter } from "./greeter-app.ts";
import { createAgent, enterSite, requestAt, signInAtService, type HostRequest } from "./platform-browser-sessions.ts";
import { ADMIN_KEY, platformHarness, type PlatformHarness } from "./platform-harness.ts";

/** Callers who may open each address of an installation, and of the platform itself. */

const CANARY = "canary-of-the-installation";
const CREDENTIALS = ["nobody", "solo ACCOUNT_ADMIN", "acme AGENT", "acme ADMIN", "acme ACCOUNT_ADMIN"] as const;
type Credential = (typeof CREDENTIALS)[number];

let harness: PlatformHarness;
let site: string;
let soloSite: string;
let apps: string;
let serviceOrigin: string;
const sessions = new Map<Credential, string>();
/** Cookies of the site of acme's installation by credential. */
const siteCookies = new Map<Credential, string | undefined>();
beforeAll(async () => {
  harness = await platformHarness();
  const { port } = harness.platform;
  apps = `http://apps.localhost:${port}`;
  site = `http://greeter--acme.apps.localhost:${port}`;
  soloSite = `http://greeter--solo.apps.localhost:${port}`;
  serviceOrigin = `http://localhost:${harness.service.port}`;
  await harness.publish(greeter("1.0.0", { "app/index.html": "<p>code</p>" }));
  await harness.install("acme", { name: "greeter", iparams: { greeting: CANARY } });
  await harness.install("solo");
  for (const credential of CREDENTIALS) {
    const [account = "", role] = credential.split(" ") as [string, "AGENT" | "ADMIN" | "ACCOUNT_ADMIN"];
    if (role === undefined) continue;
    const agent = await createAgent(harness, account, role);
    const session = await signInAtService(harness, serviceOrigin, { account, agent });
    sessions.set(credential, session);
    siteCookies.set(credential, await enterSite(`${site}/custom_configs`, session));
  }
});
afterAll(() => harness.close());

const get = (address: string, cookie?: string, more: HostRequest = {}) => requestAt(address, { cookie, ...more });
const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-site": "none" };

/** Addresses of a site that show or change something of its installation. @shape admits: credentials that are admitted */
const ADMINS: readonly Credential[] = ["acme ADMIN", "acme ACCOUNT_ADMIN"];
const AGENTS: readonly Credential[] = ["acme AGENT", ...ADMINS];
const SITE_ADDRESSES: readonly (readonly [method: string, path: string, admits: readonly Credential[]])[] = [
  ["GET", "/custom_configs", ADMINS],
  ["GET", "/custom_configs?version=1.0.0", ADMINS],
  ["GET", "/custom_configs/token", ADMINS],
  ["GET", "/custom_configs/frame", ADMINS],
  ["GET", "/", AGENTS],
  ["POST", "/custom_configs/check", []],
  ["POST", "/custom_configs/request", []],
  ["POST", "/custom_configs/save", []],
  ["POST", "/custom_configs/connections", []],
  ["POST", "/custom_configs/consents", []],
  ["POST", "/custom_configs/app-settings", []],
  ["POST", "/custom_configs/uninstall", []],
  ["POST", "/front/look", []],
  ["POST", "/front/call", []],
  ["POST", "/front/send", []],
  ["POST", "/front/change", []],
  ["GET", "/admin/app", []],
  ["GET", "/admin/invocations", []],
  ["GET", "/admin/consents", []],
  ["GET", "/admin/app-settings", []],
  ["POST", "/admin/functions", []],
  ["POST", "/admin/uninstall", []],
];

describe("without the right session no address of an installation answers", () => {
  test.each(SITE_ADDRESSES)("%s %s", async (method, path, admits) => {
    for (const credential of CREDENTIALS) {
      const { status, text } = await requestAt(site + path, {
        method,
        cookie: siteCookies.get(credential),
        headers: { accept: "*/*", ...(method === "POST" && { "content-type": "application/json" }) },
        ...(method === "POST" && { body: "{}" }),
      });
      const expected = admits.includes(credential)
        ? 200
        : path.startsWith("/admin/")
          ? 401
          : siteCookies.get(credential) === undefined
            ? 401
            : 403;
      expect([credential, status]).toEqual([credential, expected]);
      if (expected !== 200) expect(text).not.toContain(CANARY);
    }
  });
  test("the page of the installation shows its values to an admin", async () => {
    const { text } = await get(`${site}/custom_configs`, siteCookies.get("acme ADMIN"));
    expect(text).toContain(CANARY);
  });
  test("the cookies of another site and of the service are not sessions", async () => {
    const cookie = await enterSite(`${soloSite}/custom_configs`, sessions.get("acme ADMIN") ?? "");
    for (const other of [cookie, sessions.get("acme ADMIN")])
      expect((await get(`${site}/custom_configs`, other, { headers: { accept: "*/*" } })).status).toBe(401);
  });
  test("two cookies of the name are not a session", async () => {
    const cookie = siteCookies.get("acme ADMIN") ?? "";
    for (const twice of [`${cookie}; parley_apps=x`, `parley_apps=x; ${cookie}`])
      expect((await get(`${site}/custom_configs`, twice, { headers: { accept: "*/*" } })).status).toBe(401);
  });
  test("under the host name of frames nothing but files of app/ answers, with any session", async () => {
    const frames = `http://frame--greeter--acme.apps.localhost:${harness.platform.port}`;
    for (const [method, path] of SITE_ADDRESSES) {
      const { status, text } = await requestAt(frames + path, { method, cookie: siteCookies.get("acme ADMIN") });
      expect([path, status]).toEqual([path, 421]);
      expect(text).not.toContain(CANARY);
    }
    expect((await get(`${frames}/app/index.html`)).status).toBe(200);
    expect((await get(`${frames}/enter?ticket=x&to=/`)).status).toBe(421);
  });
  test("under names of this machine no site of a published app answers", async () => {
    for (const name of [`127.0.0.1:${harness.platform.port}`, `localhost:${harness.platform.port}`])
      expect((await get(`http://${name}/custom_configs`, siteCookies.get("acme ADMIN"))).status).toBe(421);
  });
});

test("a crawl from the pages of the installation finds no address that shows more to another credential", async () => {
  const admin = siteCookies.get("acme ACCOUNT_ADMIN");
  const found = new Set<string>(["/custom_configs", "/"]);
  for (const path of found) {
    const { text } = await get(site + path, admin, { headers: { accept: "*/*" } });
    for (const [, address = ""] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const url = new URL(address, site);
      if (url.origin === site) found.add(url.pathname + url.search);
    }
  }
  expect(found.size).toBeGreaterThan(5);
  const outsiders = CREDENTIALS.filter((credential) => !AGENTS.includes(credential));
  for (const path of found)
    for (const credential of outsiders) {
      const { status, text } = await get(site + path, siteCookies.get(credential), { headers: { accept: "*/*" } });
      expect([path, text.includes(CANARY)]).toEqual([path, false]);
      // Files that are the same for everybody: code and styles.
      if (status === 200)
        expect(path).toMatch(/^\/(?:custom_configs\/(?:page\.css|own-client\.js|own\/)|front\/client\.js|app\/)/);
    }
});

const PLATFORM_ROWS: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/platform/accounts/acme/apps"],
  ["GET", "/platform/accounts/acme/apps/greeter"],
  ["GET", "/platform/accounts/acme/catalogue"],
  ["POST", "/platform/accounts/acme/apps"],
  ["POST", "/platform/accounts/acme/apps/greeter/upgrade"],
  ["POST", "/platform/accounts/acme/apps/greeter/rollback"],
  ["POST", "/platform/accounts/acme/apps/greeter/pause"],
  ["POST", "/platform/accounts/acme/apps/greeter/resume"],
  ["DELETE", "/platform/accounts/acme/apps/greeter"],
  ["GET", "/platform/apps"],
  ["PUT", "/platform/apps/greeter"],
  ["POST", "/platform/packages"],
];
describe("rows of the platform", () => {
  test.each(PLATFORM_ROWS)("%s %s admits no session of a page", async (method, path) => {
    for (const credential of CREDENTIALS)
      for (const cookie of [siteCookies.get(credential), sessions.get(credential)]) {
        const { status, text } = await requestAt(apps + path, {
          method,
          cookie,
          headers: { "content-type": "application/json", ...(method !== "GET" && { origin: apps }) },
          ...(["POST", "PUT"].includes(method) && { body: "{}" }),
        });
        expect([credential, status]).toEqual([credential, 401]);
        expect(text).not.toContain("greeter");
      }
  });
  test("the catalogue names no installation page of an app whose name does not fit into a host name beside the account's", async () => {
    const account = "an-account-with-a-name-of-forty-8-letters-in-all";
    await harness.admin("POST", "/admin/accounts", { name: account, owner: { email: "ada@lumen.example" } });
    const pagesOf = async (name: string) => {
      const { body } = await harness.request("GET", `/platform/accounts/${name}/catalogue`);
      return (body["apps"] as { name: string; page?: string }[]).map((app) => [app.name, app.page]);
    };
    expect(await pagesOf("acme")).toEqual([["greeter", `${site}/custom_configs`]]);
    expect(await pagesOf(account)).toEqual([["greeter", undefined]]);
  });
  test("a wrong admin key is refused, the right one is accepted", async () => {
    for (const [key, status] of [
      [`${ADMIN_KEY}x`, 401],
      ["", 401],
      [ADMIN_KEY, 200],
    ] as const)
      expect(
        (await get(`${apps}/platform/apps`, undefined, { headers: { authorization: `Bearer ${key}` } })).status,
      ).toBe(status);
  });
});

describe("an entry by ticket", () => {
  const begin = () => get(`${site}/custom_configs`, undefined, { headers: navigation });
  const ticketOf = async (location: string) => (await get(location, sessions.get("acme ADMIN"))).location ?? "";

  test("is valid once, and only in the browser that began it", async () => {
    const first = await begin();
    expect(first.status).toBe(302);
    expect(first.location).toMatch(new RegExp(`^${serviceOrigin}/sign-in/page\\?to=`));
    const entry = await ticketOf(first.location ?? "");
    const other = await begin();
    for (const cookie of [undefined, other.cookies[0]]) {
      const refused = await get(entry, cookie);
      expect([refused.status, refused.cookies]).toEqual([401, []]);
    }
    const entered = await get(entry, first.cookies[0]);
    expect([entered.status, entered.location]).toEqual([302, "/custom_configs"]);
    expect(entered.setCookies[0]).toMatch(/^parley_apps=[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/);
    expect((await get(entry, first.cookies[0])).status).toBe(401);
  });
  test("leads to no other origin", async () => {
    const first = await begin();
    const entry = new URL(await ticketOf(first.location ?? ""));
    const own = entry.searchParams.get("to") ?? "";
    for (const to of [
      "https://evil.example/",
      `${own.slice(0, 26)}//evil.example/`,
      "//evil.example",
      "/custom_configs",
    ]) {
      entry.searchParams.set("to", to);
      const { status, location } = await get(entry.href, first.cookies[0]);
      expect([to, status === 302 ? new URL(location ?? "", site).origin : status]).toEqual([
        to,
        status === 302 ? site : 401,
      ]);
    }
  });
  test("a session that ended is refused within about a second", async () => {
    const agent = await createAgent(harness, "acme", "SUPER_USER");
    await harness.admin("PUT", `/admin/accounts/acme/agents/${agent}`, { scope: "Global" });
    const session = await signInAtService(harness, serviceOrigin, { account: "acme", agent });
    const cookie = await enterSite(`${site}/`, session);
    expect((await get(`${site}/`, cookie)).status).toBe(200);
    await harness.admin("DELETE", `/admin/accounts/acme/agents/${agent}/sessions`);
    await harness.until(async () =>
      (await get(`${site}/`, cookie, { headers: { accept: "*/*" } })).status === 401 ? true : undefined,
    );
  });
});
