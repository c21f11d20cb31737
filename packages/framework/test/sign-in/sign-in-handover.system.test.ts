import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { CLIENT_ID } from "../support/fake-oauth-provider.ts";
import { sessionAgent } from "../support/fake-identity-service.ts";
import { VALUES } from "../front/front-fixture.ts";
import { NAVIGATION, signInFixture, type SignInFixture } from "./sign-in-fixture.ts";

/** Sessions at the host name of the agent's page, and connections that a signed-in agent authorises. */

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
  await fixture.front.host.install(VALUES);
  admin = fixture.signIn("admin", sessionAgent());
  agent = fixture.signIn("agent", sessionAgent({ agent_id: "agent-2", role_id: "AGENT", role: "AGENT" }));
});
afterAll(() => fixture.close());
afterEach(() => expect(fixture.identity.faults).toEqual([]));

const open = (path: string, cookie?: string) =>
  fixture.send(path, { headers: { ...NAVIGATION, ...(cookie !== undefined && { cookie }) } });

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

  /** A request of the page itself. */
  const ofPage = (path: string, cookie: string) =>
    fixture.send(path, {
      host: "app-front-pages.localhost",
      headers: { cookie, "sec-fetch-mode": "no-cors", "sec-fetch-site": "same-origin" },
    });

  test("gives the page's host name a cookie of its own, which admits with the same rights", async () => {
    const { pageCookie } = await handOver(agent);
    expect(pageCookie).not.toContain(agent.split("=")[1]);
    expect((await at("/", { cookie: pageCookie })).status).toBe(200);
    expect((await ofPage("/front/page.js", pageCookie)).status).toBe(200);
    expect((await ofPage("/custom_configs/page.js", pageCookie)).status).toBe(403);
  });

  test("a cookie of this name that the app adds changes nothing", async () => {
    const { pageCookie } = await handOver(agent);
    const injected = `parley_page_${fixture.front.host.port}=injected`;
    for (const cookie of [`${injected}; ${pageCookie}`, `${pageCookie}; ${injected}`])
      expect((await ofPage("/front/page.js", cookie)).status).toBe(200);
    expect((await ofPage("/front/page.js", injected)).status).toBe(401);
  });

  test("takes place for each load of the page, so that it belongs to the agent who is signed in then", async () => {
    const first = await handOver(agent);
    expect((await at("/", { cookie: first.pageCookie })).text).toContain("agent-2");
    expect((await at("/", { cookie: first.pageCookie })).headers["location"]).toContain("/front/handover");
    const second = await handOver(admin);
    const { text } = await at("/", { cookie: second.pageCookie });
    expect(text).toContain("&quot;agent&quot;:{&quot;id&quot;:&quot;agent-1&quot;");
  });

  test("an agent who is refused is admitted after a sign-in as another agent and a reload", async () => {
    const { pageCookie } = await handOver(fixture.signIn("none", sessionAgent({ scope: "None" })));
    expect((await at("/", { cookie: pageCookie })).status).toBe(403);
    expect((await at("/", { cookie: pageCookie })).status).toBe(302);
    expect((await at("/", { cookie: (await handOver(agent)).pageCookie })).status).toBe(200);
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
    expect((await ofPage("/front/page.js", pageCookie)).status).toBe(200);
    fixture.identity.sessions.delete(cookie.split("=")[1] ?? "");
    fixture.expireAnswers();
    expect((await ofPage("/front/page.js", pageCookie)).status).toBe(401);
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
