import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Agent, ListedSession, Session, SignInResult } from "@parley/contract";
import { statement } from "@parley/database";
import { realPorts } from "../../../src/index.ts";
import { sessionRules } from "../../../src/identity/authentication/config.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { cookieOf, PASSWORD, sessionHarness, type BrowserSession, type SessionHarness } from "./session-harness.ts";

const ALL_SESSIONS = statement("", "select row_to_json(s)::text as text from agent_sessions s");
const HOUR_MS = 3_600_000;

let s: SessionHarness;
let offsetMs = 0;
beforeAll(async () => {
  const sessions = sessionRules({ PARLEY_SESSION_DAYS: "3", PARLEY_SESSION_IDLE_HOURS: "24" });
  const now = () => new Date(realPorts.now().getTime() + offsetMs);
  s = await sessionHarness({ ports: { now }, config: { sessions } });
});
afterAll(() => s.close());
beforeEach(() => {
  offsetMs = 0;
});

const sessionOf = (session: BrowserSession) => s.page<Session>("GET", "/identity/session", { session });
const isSignedIn = async (session: BrowserSession): Promise<boolean> => (await sessionOf(session)).code === 200;
const agentId = async (email: string): Promise<string> => {
  const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 100 } });
  return agents.find((agent) => agent.email === email)?.id ?? "";
};
const newAgent = async (email: string, role_id = "AGENT"): Promise<Agent> =>
  s.client.agents.createAgent({ body: { email, role_id } });

describe("a session", () => {
  test("GET /identity/session 200 is that of the signed-in agent, with role and scope", async () => {
    const { code, body } = await sessionOf(await s.signIn("olivia@acme.example"));
    expect([code, body.email, body.account, body.role, body.scope, body.method]).toEqual([
      200,
      "olivia@acme.example",
      "acme",
      "ACCOUNT_ADMIN",
      "Global",
      "password",
    ]);
    expect([body.has_password, body.has_second_factor, body.recovery_codes_left]).toEqual([true, false, 0]);
  });

  test("DELETE /identity/session 200 ends it at once and removes the cookie", async () => {
    const session = await s.signIn("olivia@acme.example");
    const { code, headers } = await s.page("DELETE", "/identity/session", { session });
    expect([code, headers.getSetCookie()]).toEqual([
      200,
      ["parley_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"],
    ]);
    expect((await sessionOf(session)).code).toBe(401);
  });

  test("has a cookie that scripts can't read and that other sites do not send", async () => {
    await s.signIn("olivia@acme.example");
    const { headers } = await s.page("POST", "/identity/sign-in", {
      body: { account: "acme", email: "olivia@acme.example", password: PASSWORD },
    });
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^parley_session=[A-Za-z0-9_-]{43}; Path=\/; Max-Age=259200; HttpOnly; SameSite=Lax$/),
    ]);
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("has responses that no cache keeps", async () => {
    const session = await s.signIn("olivia@acme.example");
    for (const path of ["/identity/session", "/v2/agents", "/admin/accounts/acme/tokens"])
      expect((await s.page("GET", path, { session })).headers.get("cache-control")).toBe("no-store");
  });

  test("is stored as hashes only", async () => {
    const { cookie, token } = await s.signIn("olivia@acme.example");
    const pool = s.database.pool("parley_service", { max: 1 });
    const rows = await pool.rows<{ text: string }>(ALL_SESSIONS, []);
    await pool.end();
    const all = rows.map(({ text }) => text).join("\n");
    expect(rows.length).toBeGreaterThan(0);
    for (const secret of [cookie.slice("parley_session=".length), token]) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(Buffer.from(secret).toString("hex"));
    }
  });

  test("GET /identity/sessions 200 lists those of the agent, the newest first, with address and browser", async () => {
    const agent = await newAgent("lister@acme.example");
    const first = await s.signIn(agent.email);
    const body = { account: "acme", email: agent.email, password: PASSWORD };
    const headers = { "user-agent": `Browser/1 ${"x".repeat(500)}` };
    const second = await s.page<SignInResult>("POST", "/identity/sign-in", { body, headers });
    const { body: listed } = await s.page<{ sessions: ListedSession[] }>("GET", "/identity/sessions", {
      session: first,
    });
    expect(listed.sessions.map(({ is_current }) => is_current)).toEqual([false, true]);
    expect(listed.sessions[0]).toMatchObject({ id: second.body.session?.id, address: "127.0.0.1", method: "password" });
    expect([listed.sessions[0]?.user_agent.length, listed.sessions[0]?.device]).toEqual([256, "Browser"]);
  });

  test("DELETE /identity/sessions/{session_id} 200 ends another session of the agent", async () => {
    const agent = await newAgent("ender@acme.example");
    const first = await s.signIn(agent.email);
    const body = { account: "acme", email: agent.email, password: PASSWORD };
    const { body: second } = await s.page<SignInResult>("POST", "/identity/sign-in", { body });
    const { code } = await s.page("DELETE", `/identity/sessions/${second.session?.id}`, { session: first });
    const { body: listed } = await s.page<{ sessions: ListedSession[] }>("GET", "/identity/sessions", {
      session: first,
    });
    expect([code, listed.sessions.length]).toEqual([200, 1]);
  });

  test("DELETE /identity/sessions/{session_id} SESSION_NOT_FOUND for one of another agent, and for no id", async () => {
    const [mine, other] = [await s.signIn("olivia@acme.example"), await s.signIn("noah@acme.example")];
    const { body } = await sessionOf(other);
    for (const id of [body.id, "none", "%00"]) {
      const reply = await s.page("DELETE", `/identity/sessions/${id}`, { session: mine });
      expect([reply.code, reply.body.status]).toEqual([404, "SESSION_NOT_FOUND"]);
    }
    expect(await isSignedIn(other)).toBe(true);
  });
});

describe("a session ends", () => {
  test("the configured days after the sign-in, however often it is used", async () => {
    const session = await s.signIn("olivia@acme.example");
    for (let hours = 20; hours < 3 * 24; hours += 20) {
      offsetMs = hours * HOUR_MS;
      expect(await isSignedIn(session)).toBe(true);
      s.expireCaches();
    }
    offsetMs = 3 * 24 * HOUR_MS + 1_000;
    expect(await isSignedIn(session)).toBe(false);
  });

  test("after a day without a request", async () => {
    const session = await s.signIn("olivia@acme.example");
    offsetMs = 24 * HOUR_MS + 60_000;
    s.expireCaches();
    expect(await isSignedIn(session)).toBe(false);
  });

  test("within a second after its agent is deactivated, and stays ended when the agent is active again", async () => {
    const agent = await newAgent("deactivated@acme.example");
    const session = await s.signIn(agent.email);
    expect(await isSignedIn(session)).toBe(true);
    const path = `/admin/accounts/acme/agents/${agent.id}`;
    await s.adminRequest("PUT", path, { is_deactivated: true });
    s.expireCaches();
    expect(await isSignedIn(session)).toBe(false);
    const body = { account: "acme", email: agent.email, password: PASSWORD };
    expect((await s.page("POST", "/identity/sign-in", { body })).body.status).toBe("SIGN_IN_FAILED");
    await s.adminRequest("PUT", path, { is_deactivated: false });
    expect(await isSignedIn(session)).toBe(false);
    expect((await s.page("POST", "/identity/sign-in", { body })).code).toBe(200);
  });

  test("within a second after its agent is deleted", async () => {
    const agent = await newAgent("deleted@acme.example");
    const session = await s.signIn(agent.email);
    await s.client.agents.deleteAgent({ params: { agent_id: agent.id } });
    s.expireCaches();
    expect(await isSignedIn(session)).toBe(false);
  });

  test("DELETE /admin/accounts/{account}/agents/{agent_id}/sessions 200 by an admin", async () => {
    const session = await s.signIn("diego@acme.example");
    const path = `/admin/accounts/acme/agents/${await agentId("diego@acme.example")}/sessions`;
    expect((await s.adminRequest("DELETE", path)).code).toBe(200);
    s.expireCaches();
    expect(await isSignedIn(session)).toBe(false);
  });

  test.each([
    ["DELETE /admin/accounts/{account}/agents/{agent_id}/sessions ACCOUNT_NOT_FOUND, AGENT_NOT_FOUND", "DELETE"],
    ["GET /admin/accounts/{account}/agents/{agent_id}/sessions ACCOUNT_NOT_FOUND, AGENT_NOT_FOUND", "GET"],
  ])("%s", async (_, method) => {
    const unknown = "3d6f3f7e-0000-4000-8000-000000000000";
    const at = async (account: string, id: string) =>
      (await s.adminRequest(method, `/admin/accounts/${account}/agents/${id}/sessions`)).body.status;
    expect([await at("none", unknown), await at("acme", unknown), await at("acme", "none")]).toEqual([
      "ACCOUNT_NOT_FOUND",
      "AGENT_NOT_FOUND",
      "AGENT_NOT_FOUND",
    ]);
  });

  test("GET /admin/accounts/{account}/agents/{agent_id}/sessions 200 lists those of an agent", async () => {
    await s.signIn("maya@acme.example");
    const path = `/admin/accounts/acme/agents/${await agentId("maya@acme.example")}/sessions`;
    const { code, body } = await s.adminRequest<{ sessions: ListedSession[] }>("GET", path);
    expect([code, body.sessions.length, body.sessions[0]?.is_current]).toEqual([200, 1, false]);
  });

  test("when the same browser signs in again: the earlier session can't be used any more", async () => {
    const agent = await newAgent("twice@acme.example");
    const first = await s.signIn(agent.email);
    const body = { account: "acme", email: agent.email, password: PASSWORD };
    const second = await s.page<SignInResult>("POST", "/identity/sign-in", {
      body,
      session: { cookie: first.cookie },
    });
    expect(cookieOf(second.headers)).not.toBe(first.cookie);
    await waitUntil(async () => !(await isSignedIn(first)));
  });

  test("when the agent has more than 50: the oldest sessions end", async () => {
    const agent = await newAgent("many@acme.example");
    const first = await s.signIn(agent.email);
    const body = { account: "acme", email: agent.email, password: PASSWORD };
    for (let count = 0; count < 50; count++) await s.page("POST", "/identity/sign-in", { body });
    await waitUntil(async () => !(await isSignedIn(first)));
  });
});

test("an agent's login_status says whether it has a session, also for the agents of the demo", async () => {
  const agent = await newAgent("status@acme.example");
  const status = async () => (await s.client.agents.getAgent({ params: { agent_id: agent.id } })).login_status;
  expect([await status(), (await s.solo.agents.listAgents()).agents[0]?.login_status]).toEqual([false, false]);
  const session = await s.signIn(agent.email);
  const body = { account: "acme", email: agent.email, password: PASSWORD };
  const { body: second } = await s.page<SignInResult>("POST", "/identity/sign-in", { body });
  expect(await status()).toBe(true);
  await s.page("DELETE", `/identity/sessions/${second.session?.id}`, { session });
  expect(await status()).toBe(true);
  await s.page("DELETE", "/identity/session", { session });
  expect(await status()).toBe(false);
});

test("a change of role or scope applies to an open session within a second", async () => {
  const agent = await newAgent("promoted@acme.example");
  const session = await s.signIn(agent.email);
  const metric = "/v2/metrics/instant?metric=team_presence.online";
  expect((await s.page("GET", metric, { session })).code).toBe(403);
  await s.client.agents.updateAgent({ params: { agent_id: agent.id }, body: { role_id: "SUPER_USER" } });
  await waitUntil(async () => (await s.page("GET", metric, { session })).code === 200);
  await s.adminRequest("PUT", `/admin/accounts/acme/agents/${agent.id}`, { scope: "Me" });
  await waitUntil(async () => (await s.page("GET", metric, { session })).code === 403);
});

test("POST /admin/session-verifications 200 tells the platform whose session a cookie is", async () => {
  const { cookie } = await s.signIn("hannah@acme.example");
  const verify = async (value: string) =>
    (await s.adminRequest<{ agent?: { email: string } }>("POST", "/admin/session-verifications", { cookie: value }))
      .body;
  expect((await verify(cookie.replace("parley_session=", ""))).agent).toMatchObject({
    email: "hannah@acme.example",
    account: "acme",
    role: "AGENT",
    scope: "Group",
  });
  expect([await verify("A".repeat(43)), await verify(""), await verify("'")]).toEqual([{}, {}, {}]);
});

test("POST /admin/session-verifications answers for the id of a session as for its cookie, and not a second after its end", async () => {
  const session = await s.signIn("hannah@acme.example");
  const own = await s.page<{ id: string }>("GET", "/identity/session", { session });
  const verify = (body: object) => s.adminRequest<{ agent?: object }>("POST", "/admin/session-verifications", body);
  const { id } = own.body;
  const byCookie = (await verify({ cookie: session.cookie.replace("parley_session=", "") })).body;
  expect(byCookie.agent).toMatchObject({ email: "hannah@acme.example" });
  for (const text of [id, id.toUpperCase()]) expect((await verify({ session: text })).body).toEqual(byCookie);
  for (const text of ["", "none", "3d6f3f7e-0000-4000-8000-000000000000"])
    expect((await verify({ session: text })).body).toEqual({});
  for (const body of [{}, { cookie: "A".repeat(43), session: id }]) {
    const { code, body: refused } = await verify(body);
    expect([code, refused.status, refused.agent]).toEqual([400, "INVALID_VALUE", undefined]);
  }
  await s.page("DELETE", `/identity/sessions/${id}`, { session });
  await waitUntil(async () => (await verify({ session: id })).body.agent === undefined);
});

test("requests of a session use its own limit and not the account's hourly allowance", async () => {
  const allowance = async () => {
    const { headers } = await s.raw("GET", "/v2/groups");
    return Number(headers.get("x-ratelimit-remaining"));
  };
  const session = await s.signIn("olivia@acme.example");
  const before = await allowance();
  const { headers } = await s.page("GET", "/v2/groups", { session });
  expect(headers.get("x-ratelimit-limit")).toBe("1200");
  for (let count = 0; count < 20; count++) await s.page("GET", "/v2/groups", { session });
  expect(before - (await allowance())).toBe(1);
});

test("GET /v2/groups TOO_MANY_REQUESTS after 1,200 requests of one session in a minute; other sessions go on", async () => {
  const [session, other] = [await s.signIn("olivia@acme.example"), await s.signIn("noah@acme.example")];
  let refused: Awaited<ReturnType<typeof s.page>> | undefined;
  for (let count = 0; count < 60 && !refused; count++) {
    const replies = await Promise.all(Array.from({ length: 50 }, () => s.page("GET", "/v2/groups", { session })));
    refused = replies.find(({ code }) => code === 429);
  }
  expect([refused?.body.status, Number(refused?.headers.get("retry-after")) <= 60]).toEqual([
    "TOO_MANY_REQUESTS",
    true,
  ]);
  expect(refused?.headers.get("ratelimit-policy")).toBe('"minute";q=1200;w=60');
  expect((await s.page("GET", "/v2/groups", { session: other })).code).toBe(200);
});
