import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement, type Pool } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { createAppPageAddressOf, LOCAL_APPS_URL } from "../../../src/identity/sign-in/app-page-address.ts";
import { ADMIN_KEY } from "../../operations/administration/endpoints/admin-harness.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { sessionHarness, type BrowserSession, type SessionHarness } from "./session-harness.ts";

/** Tickets by which pages of apps learn who is signed in. */

const APPS = "http://apps.localhost:10001";
const PAGE = "http://concierge--acme.apps.localhost:10001";
const clock = { ahead: 0 };
let s: SessionHarness;
let second: ServiceHarness;
let pool: Pool;
let session: BrowserSession;
beforeAll(async () => {
  const ports = { now: () => new Date(Date.now() + clock.ahead) };
  s = await sessionHarness({ ports });
  second = await serviceHarness({ database: s.database, objectsFolder: s.objectsFolder, ports, adminKey: ADMIN_KEY });
  pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  session = await s.signIn("olivia@acme.example");
});
afterAll(async () => {
  await pool.end();
  await second.close();
  await s.close();
});

const pathTo = (to: string) => `/sign-in/page?to=${encodeURIComponent(to)}`;
const open = (to: string, asked: Parameters<SessionHarness["page"]>[2] = { session: { cookie: session.cookie } }) =>
  s.page<{ text?: string }>("GET", pathTo(to), asked);
const locationOf = ({ headers }: { readonly headers: Headers }) => headers.get("location") ?? "";
const ticketFor = async (to: string, of = session) =>
  new URL(locationOf(await open(to, { session: { cookie: of.cookie } }))).searchParams.get("ticket") ?? "";
const tickets = async () =>
  (await pool.one<{ count: number }>(statement("", "select count(*)::integer as count from page_tickets"), []))?.count;

interface Redeemed {
  readonly session?: string;
  readonly agent?: { readonly email: string; readonly account: string };
}
const redeem = async (ticket: string, origin: string, url = s.url): Promise<Redeemed> => {
  const reply = await fetch(`${url}/admin/page-tickets/redemptions`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ ticket, origin }),
  });
  expect(reply.status).toBe(200);
  return (await reply.json()) as Redeemed;
};

test("a signed-in browser is sent to the page with a ticket, which no cache keeps and no later request repeats", async () => {
  const reply = await open(`${PAGE}/admin/records?sort=a%20b&x=1#part`);
  expect([reply.code, locationOf(reply)]).toEqual([
    302,
    expect.stringMatching(
      /^http:\/\/concierge--acme\.apps\.localhost:10001\/enter\?ticket=[\w-]{43}&to=%2Fadmin%2Frecords%3Fsort%3Da%2520b%26x%3D1$/,
    ),
  ]);
  expect(reply.headers.get("referrer-policy")).toBe("no-referrer");
  expect(reply.headers.get("cache-control")).toBe("no-store");
  expect(reply.headers.getSetCookie()).toEqual([]);
});

test("a browser that is not signed in, or whose session has ended, goes to the sign-in, which returns to the address", async () => {
  const ended = await s.signIn("noah@acme.example");
  const own = await s.page<{ id: string }>("GET", "/identity/session", { session: ended });
  await s.page("DELETE", `/identity/sessions/${own.body.id}`, { session: ended });
  const to = `${PAGE}/custom_configs?a=1&b=2`;
  for (const cookie of ["", "parley_session=none", `parley_session=${"A".repeat(43)}`, ended.cookie]) {
    const reply = await open(to, { session: { cookie } });
    const location = new URL(locationOf(reply), s.origin);
    expect([reply.code, location.origin, location.pathname]).toEqual([302, s.origin, "/sign-in"]);
    expect(location.searchParams.get("next")).toBe(pathTo(to));
    expect(reply.headers.get("cache-control")).toBe("no-store");
  }
  const long = locationOf(await open(`${PAGE}/${"a".repeat(1_500)}`, {}));
  expect(new URL(long, s.origin).searchParams.get("next")).toBe(pathTo(`${PAGE}/`));
});

describe("a ticket", () => {
  test("POST /admin/page-tickets/redemptions 200 exchanges it for the session that it was issued for, which the platform can verify", async () => {
    const own = await s.page<{ id: string }>("GET", "/identity/session", { session });
    const redeemed = await redeem(await ticketFor(`${PAGE}/`), PAGE);
    expect(redeemed).toEqual({
      session: own.body.id,
      agent: expect.objectContaining({ email: "olivia@acme.example", account: "acme" }),
    });
    const verified = await s.adminRequest<Redeemed>("POST", "/admin/session-verifications", {
      session: redeemed.session,
    });
    expect(verified.body.agent).toEqual(redeemed.agent);
  });

  test("is redeemed once, however many requests to two processes redeem it at the same time", async () => {
    const ticket = await ticketFor(`${PAGE}/`);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => redeem(ticket, PAGE, index % 2 ? s.url : second.url)),
    );
    expect(results.filter((result) => result.session !== undefined)).toHaveLength(1);
    expect(results.filter((result) => JSON.stringify(result) === "{}")).toHaveLength(19);
  });

  test.each([
    APPS,
    "http://frame--concierge--acme.apps.localhost:10001",
    `${PAGE}/`,
    "https://concierge--acme.apps.localhost:10001",
    "http://concierge--acme.apps.localhost:10002",
    "",
  ])("is not exchanged for the origin %j, and then for no origin", async (origin) => {
    const ticket = await ticketFor(`${PAGE}/`);
    expect(await redeem(ticket, origin)).toEqual({});
    expect(await redeem(ticket, PAGE)).toEqual({});
  });

  test("is valid for 30 seconds", async () => {
    const [early, late] = [await ticketFor(`${PAGE}/`), await ticketFor(`${PAGE}/`)];
    clock.ahead += 29_000;
    expect((await redeem(early, PAGE)).agent).toBeDefined();
    clock.ahead += 2_000;
    expect(await redeem(late, PAGE)).toEqual({});
  });

  test("ends with its session", async () => {
    const ended = await s.signIn("noah@acme.example");
    const ticket = await ticketFor(`${PAGE}/`, ended);
    const own = await s.page<{ id: string }>("GET", "/identity/session", { session: ended });
    await s.page("DELETE", `/identity/sessions/${own.body.id}`, { session: ended });
    expect(await redeem(ticket, PAGE)).toEqual({});
  });

  test("unknown or malformed is answered without a session", async () => {
    for (const ticket of ["", "A", "A".repeat(43), `${"A".repeat(42)}'`, "ü".repeat(43), "A".repeat(256)])
      expect(await redeem(ticket, PAGE)).toEqual({});
  });

  test("is stored as a hash only, and a session has no more than twenty", async () => {
    const issued: string[] = [];
    for (let count = 0; count < 25; count++) issued.push(await ticketFor(`${PAGE}/`));
    const ROWS = statement("", "select page_tickets::text as line from page_tickets");
    const text = (await pool.rows<{ line: string }>(ROWS, [])).map(({ line }) => line).join("\n");
    expect(
      issued.filter((ticket) => text.includes(ticket) || text.includes(Buffer.from(ticket).toString("hex"))),
    ).toEqual([]);
    expect(await tickets()).toBe(20);
    expect(await redeem(issued[0] ?? "", PAGE)).toEqual({});
    expect((await redeem(issued[24] ?? "", PAGE)).agent).toBeDefined();
  });

  test("that expired is deleted", async () => {
    await ticketFor(`${PAGE}/`);
    clock.ahead += 31_000;
    const third = await serviceHarness({
      database: s.database,
      objectsFolder: s.objectsFolder,
      ports: { now: () => new Date(Date.now() + clock.ahead) },
    });
    await waitUntil(async () => (await tickets()) === 0);
    await third.close();
  });
});

describe("no ticket is issued", () => {
  test.each<Record<string, string>>([
    ...["iframe", "frame", "empty", "image", "object", "embed", "script", "style"].map((dest) => ({
      "sec-fetch-dest": dest,
    })),
    ...["worker", "audio", "fencedframe", "webidentity"].map((dest) => ({ "sec-fetch-dest": dest })),
  ])("to a request with %j, which is not a navigation of a tab", async (headers) => {
    const before = await tickets();
    const reply = await open(`${PAGE}/`, { session: { cookie: session.cookie }, headers });
    expect([reply.code, reply.headers.get("location"), await tickets()]).toEqual([403, null, before]);
    expect(reply.body.text).toContain("in a frame or by a script");
  });

  test("to HEAD, nor to an address that is named twice or not at all", async () => {
    const before = await tickets();
    const get = async (path: string, method = "GET") => {
      const reply = await s.page(method, path, { session: { cookie: session.cookie } });
      return [reply.code, reply.headers.get("location")];
    };
    expect(await get(pathTo(`${PAGE}/`), "HEAD")).toEqual([405, null]);
    const to = encodeURIComponent(`${PAGE}/`);
    for (const query of ["", "?to=", `?to=${to}&to=${to}`, `?to[]=${to}`])
      expect(await get(`/sign-in/page${query}`)).toEqual([400, null]);
    expect(await tickets()).toBe(before);
  });

  test("for another address: the browser stays, and the page says why", async () => {
    for (const to of ["https://evil.example/", "javascript:alert(1)", "//evil.example/", "/profile"]) {
      const reply = await open(to);
      expect([to, reply.code, reply.headers.get("location")]).toEqual([to, 400, null]);
      expect(reply.body.text).toContain(`those are at ${LOCAL_APPS_URL} and at host names directly below it`);
      expect(reply.body.text).not.toContain("evil");
    }
  });
});

describe("the address of an app's page", () => {
  const local = createAppPageAddressOf(APPS);
  const hosted = createAppPageAddressOf("https://apps.example.com");

  test.each([
    [APPS, APPS, "/"],
    [`${APPS}/`, APPS, "/"],
    [`${APPS}?a=b`, APPS, "/?a=b"],
    [`${PAGE}/enter?to=//evil.example`, PAGE, "/enter?to=//evil.example"],
    [`${PAGE}/a/../b#c`, PAGE, "/b"],
    [`${PAGE}//evil.example/x`, PAGE, "//evil.example/x"],
    ["http://a.apps.localhost:10001/", "http://a.apps.localhost:10001", "/"],
    ["http://frames--acme.apps.localhost:10001/", "http://frames--acme.apps.localhost:10001", "/"],
  ])("%s is at %s", (text, origin, path) => {
    expect(local(text)).toEqual({ origin, path });
  });
  test("https is at its own port", () => {
    expect(hosted("https://a--b.apps.example.com/x")).toEqual({ origin: "https://a--b.apps.example.com", path: "/x" });
  });

  const REFUSED = [
    // Other hosts.
    ...["http://evilapps.localhost:10001/", "http://apps.localhost.evil.example:10001/", "http://localhost:10001/"],
    ...["http://apps.localhost.:10001/", "http://a.apps.localhost.:10001/", "http://a.b.apps.localhost:10001/"],
    ...["http://.apps.localhost:10001/", "http://-a.apps.localhost:10001/", "http://a_b.apps.localhost:10001/"],
    ...["http://127.0.0.1:10001/", "http://[::1]:10001/", "http://apps.localhost:10001.evil.example/"],
    // Host names of frames.
    ...["http://frame--concierge--acme.apps.localhost:10001/", "http://frame--x.apps.localhost:10001/enter"],
    // Other schemes and ports.
    ...["http://apps.localhost/", "http://apps.localhost:10002/", "http://apps.localhost:100011/"],
    ...["https://apps.localhost:10001/", "ws://apps.localhost:10001/", "ftp://apps.localhost:10001/"],
    ...[
      "javascript:alert(1)//apps.localhost:10001",
      "data:text/html,apps.localhost:10001",
      "blob:http://apps.localhost:10001/x",
    ],
    // User information and backslashes.
    ...[
      "http://apps.localhost:10001@evil.example/",
      "http://user@apps.localhost:10001/",
      "http://@apps.localhost:10001/",
    ],
    ...[
      "http://evil.example\\@apps.localhost:10001/",
      "http:\\\\apps.localhost:10001/",
      "http://apps.localhost:10001\\@evil.example/",
    ],
    ...[
      "http:///apps.localhost:10001/",
      "http:apps.localhost:10001/",
      "//apps.localhost:10001/",
      "/enter",
      "apps.localhost:10001",
    ],
    // Characters that are encoded, dropped or changed.
    ...["http://%61pps.localhost:10001/", "http://apps%2elocalhost:10001/", "http://apps.localhost%3a10001/"],
    ...["http://аpps.localhost:10001/", "http://apps.localhost。evil.example:10001/", "http://ａpps.localhost:10001/"],
    ...["HTTP://apps.localhost:10001/", "http://APPS.localhost:10001/", "http://apps.localhost:010001/"],
    ...[
      " http://apps.localhost:10001/",
      "http://apps.localhost:10001/ ",
      "http://apps.local\thost:10001/",
      "ht\ntp://apps.localhost:10001/",
    ],
    ...[
      "http://apps.localhost:10001/\u0000",
      "http://apps.localhost:10001/a b",
      "http://apps.localhost:10001/ü",
      "",
      "http://",
    ],
    `${APPS}/${"a".repeat(2_048)}`,
  ];
  test.each(REFUSED)("%j is refused", (text) => {
    expect(local(text)).toBeUndefined();
  });
  test.each([
    ...["http://apps.example.com/", "https://apps.example.com:443/", "https://apps.example.com:444/"],
    ...["https://evilapps.example.com/", "https://example.com/", "https://apps.example.com.evil.example/"],
  ])("%j is refused for https://apps.example.com", (text) => {
    expect(hosted(text)).toBeUndefined();
  });
  test("some refused texts lead to another site in a browser", () => {
    for (const text of ["http://apps.localhost:10001@evil.example/", "http://evil.example\\@apps.localhost:10001/"])
      expect(new URL(text).hostname).toBe("evil.example");
  });
});
