import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { sessionAgent } from "../support/fake-identity-service.ts";
import { VALUES } from "../front/front-fixture.ts";
import { NAVIGATION, SERVICE_PAGES, signInFixture, type SignInFixture } from "./sign-in-fixture.ts";

/** Pages of a host that need a session. */

let fixture: SignInFixture;
let admin: string;
let agent: string;
beforeAll(async () => {
  fixture = await signInFixture();
  fixture.front.service.createConversation("c-1", "Sam", "Where is my order?");
  await fixture.front.host.install(VALUES);
  admin = fixture.signIn("admin", sessionAgent());
  agent = fixture.signIn(
    "agent",
    sessionAgent({ agent_id: "agent-2", email: "grace@example.com", role_id: "AGENT", role: "AGENT" }),
  );
});
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

  test.each([...ADMIN_REQUESTS, ...AGENT_REQUESTS])("POST %s answers 401 with a message", async (path) => {
    const { status, text } = await fixture.post(path, {}, { origin: fixture.front.printed.slice(0, -1) });
    expect([status, JSON.parse(text)]).toEqual([
      401,
      { message: expect.stringContaining(`${SERVICE_PAGES}/sign-in`) as unknown },
    ]);
  });

  test.each([
    ["an unknown one", "parley_session=unknown-unknown-unknown-unknown-unknown-unk"],
    ["two of them", "parley_session=a; parley_session=b"],
    ["one for https", `__Host-parley_session=${"x".repeat(43)}`],
    ["an empty one", "parley_session="],
  ])("a session cookie that is %s admits to nothing", async (_title, cookie) => {
    expect((await open("/custom_configs", cookie)).status).toBe(401);
    expect((await open("/", cookie)).status).toBe(401);
  });

  test.each(["/app/index.html", "/app/start.js", "/front/client.js", "/front/probe", "/custom_configs/own-client.js"])(
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

  test("an ended session is refused once the answer about it has expired", async () => {
    const cookie = fixture.signIn("brief", sessionAgent());
    expect((await open("/custom_configs", cookie)).status).toBe(200);
    fixture.identity.sessions.clear();
    fixture.expireAnswers();
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
