import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { CLIENT_ID } from "./fake-oauth-provider.ts";
import { sessionAgent } from "./fake-identity-service.ts";
import { VALUES } from "./front-fixture.ts";
import { NAVIGATION, SERVICE_PAGES, signInFixture, type SignInFixture } from "./sign-in-fixture.ts";

/** Pages of a host that need a session. */

const integration = {
  client_id: CLIENT_ID,
  client_secret: "canary",
  authorize_url: "https://login.provider.example/authorize",
  token_url: "https://login.provider.example/token",
};
const OAUTH = {
  integrations: { shared: { ...integration }, personal: { ...integration, token_type: "agent" } },
};

let fixture: SignInFixture;
let admin: string;
let agent: string;
beforeAll(async () => {
  fixture = await signInFixture({ "config/oauth_config.json": JSON.stringify(OAUTH) });
  fixture.front.service.createConversation("c-1", "Sam", "Where is my order?");
  await fixture.front.host.install(VALUES);
  admin = fixture.signIn("admin", sessionAgent());
  agent = fixture.signIn(
    "agent",
    sessionAgent({ agent_id: "agent-2", email: "grace@example.com", role_id: "AGENT", role: "AGENT" }),
  );
}, 60_000);
afterAll(() => fixture.close());
beforeEach(() => fixture.identity.setFailure(undefined));
afterEach(() => expect(fixture.identity.faults).toEqual([]));

const open = (path: string, cookie?: string) =>
  fixture.send(path, { headers: { ...NAVIGATION, ...(cookie !== undefined && { cookie }) } });

const ADMIN_PAGES = [
  "/custom_configs",
  "/custom_configs/token",
  "/custom_configs/frame",
  "/custom_configs/page.js",
  "/custom_configs/consents.js",
  "/custom_configs/own/",
  "/web/test",
  "/web/test/page.js",
];
const AGENT_PAGES = ["/", "/front/page.js", "/front/page.css"];
const ADMIN_REQUESTS = ["save", "check", "request", "connections", "app-settings", "consents", "uninstall"].map(
  (name) => `/custom_configs/${name}`,
);
const AGENT_REQUESTS = ["look", "call", "send", "change"].map((name) => `/front/${name}`);

describe("without a session", () => {
  test.each([...ADMIN_PAGES, ...AGENT_PAGES])(
    "GET %s answers 401 with a page that says where to sign in",
    async (path) => {
      const { status, text, headers } = await open(path);
      expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
        401,
        "text/html; charset=utf-8",
        "no-store",
      ]);
      expect(text).toContain(`<a href="${SERVICE_PAGES}/sign-in">Sign in</a>`);
      expect(text).toContain("then reload this page");
      expect(text).not.toContain("data-model");
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
    },
  );

  test.each([...ADMIN_REQUESTS, ...AGENT_REQUESTS, "/web/test/simulate"])(
    "POST %s answers 401 with a message",
    async (path) => {
      const { status, text } = await fixture.post(path, {}, { origin: fixture.front.printed.slice(0, -1) });
      expect([status, JSON.parse(text)]).toEqual([
        401,
        { message: expect.stringContaining(`${SERVICE_PAGES}/sign-in`) as unknown },
      ]);
    },
  );

  test.each([
    ["an unknown one", "parley_session=unknown-unknown-unknown-unknown-unknown-unk"],
    ["two of them", "parley_session=a; parley_session=b"],
    ["one for https", `__Host-parley_session=${"x".repeat(43)}`],
    ["an empty one", "parley_session="],
  ])("a session cookie that is %s admits to nothing", async (_title, cookie) => {
    expect((await open("/custom_configs", cookie)).status).toBe(401);
    expect((await open("/", cookie)).status).toBe(401);
  });

  test.each(["/app/index.html", "/app/start.js", "/front/client.js", "/front/probe"])(
    "%s is code of the app or a script, and stays reachable under the frames' host name",
    async (path) => {
      const { status } = await fixture.send(path, { host: "frame.app-front-pages.localhost" });
      expect([200, 204]).toContain(status);
    },
  );

  test.each(["/custom_configs/page.css", "/custom_configs/own-client.js", "/app/index.html"])(
    "%s stays reachable",
    async (path) => {
      expect((await fixture.send(path)).status).toBe(200);
    },
  );

  test("an address without a route answers 404, and events still need their signature", async () => {
    expect((await open("/nothing")).status).toBe(404);
    expect((await fixture.post("/events", {}, {})).status).toBe(401);
  });

  test("a page at another local name of this host is opened at localhost, where the session cookie is", async () => {
    const { status, headers } = await fixture.send("/custom_configs?x=1", { host: "127.0.0.1", headers: NAVIGATION });
    expect([status, headers["location"]]).toEqual([302, `${fixture.front.printed}custom_configs?x=1`]);
  });
});

describe("with a session", () => {
  test.each([...ADMIN_PAGES.filter((path) => path !== "/custom_configs/own/"), ...AGENT_PAGES])(
    "an admin gets %s",
    async (path) => {
      const { status } = await fixture.send(path, { headers: { cookie: admin, "sec-fetch-site": "same-origin" } });
      expect(status).toBe(200);
    },
  );

  test.each(AGENT_PAGES)("an agent gets %s", async (path) => {
    expect((await open(path, agent)).status).toBe(200);
  });

  test.each(ADMIN_PAGES)("an agent does not get %s, and reads who may", async (path) => {
    const { status, text } = await open(path, agent);
    expect([status, text]).toEqual([
      403,
      expect.stringContaining("This page is for admins of the account. You are signed in as grace@example.com."),
    ]);
    expect(text).toContain("Sign in as another agent");
  });

  test.each(ADMIN_REQUESTS)("an agent's POST %s answers 403", async (path) => {
    const token = await fixture.tokenOf("/", agent);
    const headers = { cookie: agent, origin: fixture.front.printed.slice(0, -1), "x-page-token": token };
    const { status, text } = await fixture.post(path, {}, headers);
    expect([status, JSON.parse(text)]).toEqual([403, { message: expect.stringContaining("admins") as unknown }]);
  });

  test.each([
    ["SUPER_USER", 403],
    ["a-custom-role", 403],
    ["ADMIN", 200],
    ["ACCOUNT_ADMIN", 200],
  ] as const)("the role %s gets %d for the installation page", async (role_id, status) => {
    const cookie = fixture.signIn(`role-${role_id}`, sessionAgent({ role_id }));
    expect((await open("/custom_configs", cookie)).status).toBe(status);
  });

  test("an admin of another account gets neither page", async () => {
    const cookie = fixture.signIn("other", sessionAgent({ account: "globex" }));
    for (const path of ["/", "/custom_configs"]) {
      const { status, text } = await open(path, cookie);
      expect([status, text]).toEqual([403, expect.stringContaining("This app belongs to the account acme")]);
    }
  });

  test("an agent whose scope is None does not get the agent's page", async () => {
    const cookie = fixture.signIn("none", sessionAgent({ scope: "None" }));
    expect((await open("/", cookie)).status).toBe(403);
    expect((await open("/custom_configs", cookie)).status).toBe(200);
  });

  test("an ended session is refused within a second", async () => {
    const cookie = fixture.signIn("brief", sessionAgent());
    expect((await open("/custom_configs", cookie)).status).toBe(200);
    fixture.identity.sessions.clear();
    const end = performance.now() + 1_000;
    while ((await open("/custom_configs", cookie)).status === 200 && performance.now() < end);
    expect((await open("/custom_configs", cookie)).status).toBe(401);
    admin = fixture.signIn("admin", sessionAgent());
    agent = fixture.signIn(
      "agent",
      sessionAgent({ agent_id: "agent-2", email: "grace@example.com", role_id: "AGENT", role: "AGENT" }),
    );
  });

  test.each([503, "silent"] as const)(
    "a service that is %s leaves the page at 503 with Retry-After, and nobody is signed out",
    async (failure) => {
      fixture.identity.setFailure(failure);
      const cookie = fixture.signIn(`unasked-${failure}`, sessionAgent());
      const { status, headers, text } = await open("/custom_configs", cookie);
      expect([status, headers["retry-after"]]).toEqual([503, "5"]);
      expect(text).toContain("You need not sign in again.");
      const posted = await fixture.post("/front/look", {}, { cookie, origin: fixture.front.printed.slice(0, -1) });
      expect([posted.status, JSON.parse(posted.text)]).toEqual([503, { message: expect.any(String) as unknown }]);
    },
  );
});

describe("a request of a page that changes something", () => {
  const send = async (headers: Record<string, string>) => {
    const token = await fixture.tokenOf("/custom_configs", admin);
    const own = { cookie: admin, "x-page-token": token, origin: fixture.front.printed.slice(0, -1) };
    return (await fixture.post("/custom_configs/check", { key: "note", value: "x" }, { ...own, ...headers })).status;
  };

  test("is accepted from the page itself", async () => {
    expect(await send({})).toBe(200);
  });

  test("is refused without the Origin header", async () => {
    const token = await fixture.tokenOf("/custom_configs", admin);
    const body = { key: "note", value: "x" };
    expect((await fixture.post("/custom_configs/check", body, { cookie: admin, "x-page-token": token })).status).toBe(
      403,
    );
  });

  test.each([
    ["another port", () => "http://localhost:1"],
    ["no port", () => "http://localhost"],
    ["another scheme", () => fixture.front.printed.slice(0, -1).replace("http:", "https:")],
    ["another name of this host", () => `http://127.0.0.1:${fixture.front.host.port}`],
    ["the frames", () => `http://frame.app-front-pages.localhost:${fixture.front.host.port}`],
    ["an opaque origin", () => "null"],
    ["a path after it", () => fixture.front.printed],
  ])("is refused from %s", async (_title, origin) => {
    expect(await send({ origin: origin() })).toBe(403);
  });

  test("is refused with the token of another session, and without one", async () => {
    const other = fixture.signIn("second", sessionAgent());
    const [own, foreign] = [
      await fixture.tokenOf("/custom_configs", admin),
      await fixture.tokenOf("/custom_configs", other),
    ];
    expect(own).not.toBe(foreign);
    expect(await send({ "x-page-token": foreign })).toBe(403);
    expect(await send({ "x-page-token": own })).toBe(200);
    expect(await send({ "x-page-token": "" })).toBe(403);
  });
});

describe("the handover to the host name of the agent's page", () => {
  const at = (path: string, headers: Record<string, string> = {}) =>
    fixture.send(path, { host: "app-front-pages.localhost", headers: { ...NAVIGATION, ...headers } });
  const locationOf = ({ headers }: { headers: Readonly<Record<string, unknown>> }) => String(headers["location"]);
  const pathIn = (address: string) => address.replace(/^http:\/\/[^/]+/, "");
  const handOver = async (cookie: string): Promise<{ readonly entry: string; readonly pageCookie: string }> => {
    const begun = await at("/?place=x");
    const handed = await open(pathIn(locationOf(begun)), cookie);
    const entry = pathIn(locationOf(handed));
    const entered = await at(entry);
    expect([begun.status, handed.status, entered.status, locationOf(entered)]).toEqual([302, 302, 302, "/?place=x"]);
    return { entry, pageCookie: String(entered.headers["set-cookie"]).split(";", 1)[0] ?? "" };
  };

  test("gives the page's host name a cookie of its own, which admits with the same rights", async () => {
    const { pageCookie } = await handOver(agent);
    expect(pageCookie).not.toContain(agent.split("=")[1]);
    expect((await at("/", { cookie: pageCookie })).status).toBe(200);
    expect((await at("/custom_configs", { cookie: pageCookie })).status).toBe(403);
    expect((await at("/", { cookie: `parley_page_${fixture.front.host.port}=injected; ${pageCookie}` })).status).toBe(
      200,
    );
  });

  test("accepts a ticket once, and at the page's host name only", async () => {
    const begun = await open("/front/handover?to=/", agent);
    const entry = pathIn(locationOf(begun));
    expect((await open(entry, agent)).headers["set-cookie"]).toBeUndefined();
    expect((await at(entry)).headers["set-cookie"]).toBeDefined();
    expect((await at(entry)).headers["set-cookie"]).toBeUndefined();
    expect((await fixture.send(entry, { host: "frame.app-front-pages.localhost" })).status).toBe(421);
  });

  test.each(["https://evil.example/", "//evil.example/", "/\\evil.example/", "javascript:alert(1)", "", "/a\r\nx: y"])(
    "does not redirect to %j",
    async (to) => {
      const begun = await open(`/front/handover?to=${encodeURIComponent(to)}`, agent);
      const entered = await at(pathIn(locationOf(begun)));
      expect(locationOf(entered)).toBe("/");
      expect(locationOf(await at(`/front/enter?to=${encodeURIComponent(to)}`))).toBe("/");
    },
  );

  test("needs a session, and ends with it", async () => {
    expect((await open("/front/handover?to=/")).status).toBe(401);
    const cookie = fixture.signIn("ending", sessionAgent());
    const { pageCookie } = await handOver(cookie);
    expect((await at("/", { cookie: pageCookie })).status).toBe(200);
    fixture.identity.sessions.delete(cookie.split("=")[1] ?? "");
    const end = performance.now() + 1_000;
    while ((await at("/", { cookie: pageCookie })).status === 200 && performance.now() < end);
    expect((await at("/", { cookie: pageCookie })).status).toBe(302);
  });

  test("the session cookie itself does not admit at the page's host name, nor at another name", async () => {
    for (const host of ["app-front-pages.localhost", "app-other.localhost", "evil.localhost"]) {
      const headers = { cookie: agent, "sec-fetch-mode": "cors" };
      expect((await fixture.send("/front/page.js", { host, headers })).status).toBe(401);
    }
  });

  test.each([
    ["no-cors", "same-site", "image"],
    ["cors", "same-site", "empty"],
    ["navigate", "same-site", "iframe"],
    ["no-cors", "cross-site", "script"],
  ])(
    "a request of another origin's page (%s, %s, %s) is refused although its cookie is right",
    async (mode, site, dest) => {
      const { pageCookie } = await handOver(agent);
      const headers = { cookie: pageCookie, "sec-fetch-mode": mode, "sec-fetch-site": site, "sec-fetch-dest": dest };
      expect((await at("/front/page.js", headers)).status).toBe(403);
    },
  );
});

describe("authorisation of connections", () => {
  const begin = (query: string, cookie: string) => open(`/oauth/${query}`, cookie);

  test("an admin authorises for the account, an agent does not", async () => {
    expect((await begin("shared/authorize", admin)).status).toBe(303);
    expect((await begin("shared/authorize", agent)).status).toBe(403);
    expect((await open("/oauth/shared/authorize")).status).toBe(401);
  });

  test("an agent authorises for itself only", async () => {
    expect((await begin("personal/authorize?agent=agent-2", agent)).status).toBe(303);
    expect((await begin("personal/authorize?agent=agent-1", agent)).status).toBe(403);
    expect((await begin("personal/authorize?agent=agent-2", admin)).status).toBe(403);
  });
});
