import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { IssuedLink, SignInResult } from "@parley/contract";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { PASSWORD, secretOfLink, sessionHarness, type BrowserSession, type SessionHarness } from "./session-harness.ts";

/** Links that admins and the operator create, without a mail server. */

const MINUTE_MS = 60_000;
const clock = { ahead: 0, now: () => new Date(Date.now() + clock.ahead) };

let s: SessionHarness;
const agents = new Map<string, string>();
beforeAll(async () => {
  s = await sessionHarness({ ports: { now: clock.now } });
  const listed = await s.client.agents.listAgents({ query: { items_per_page: 100 } });
  for (const { id, email } of listed.agents) agents.set(email, id);
});
afterAll(() => s.close());

const pathOf = (email: string, kind: "invitation" | "password-reset", account = "acme") =>
  `/admin/accounts/${account}/agents/${agents.get(`${email}@acme.example`) ?? email}/${kind}`;
const issue = async (email: string, kind: "invitation" | "password-reset" = "invitation"): Promise<IssuedLink> =>
  (await s.adminRequest<IssuedLink>("POST", pathOf(email, kind))).body;
const choose = (token: string, password = PASSWORD) =>
  s.page<SignInResult>("POST", "/identity/password", { body: { token, password } });
const question = (token: string) => s.page("POST", "/identity/password-link", { body: { token } });

test("POST /admin/accounts/{account}/agents/{agent_id}/invitation 201 returns a link by which the agent sets a password and is signed in", async () => {
  const { code, body } = await s.adminRequest<IssuedLink>("POST", pathOf("hannah", "invitation"));
  expect([code, body.is_sent, body.email]).toEqual([201, false, "hannah@acme.example"]);
  expect(body.link).toMatch(new RegExp(`^${s.origin}/sign-in/password#[\\w-]{43}$`));
  expect(Date.parse(body.expires_time) - Date.now()).toBeGreaterThan(7 * 24 * 60 * MINUTE_MS - MINUTE_MS);
  const chosen = await choose(secretOfLink(body.link ?? ""));
  expect([chosen.code, chosen.body.session?.email]).toEqual([200, "hannah@acme.example"]);
});

test("POST /admin/accounts/{account}/agents/{agent_id}/password-reset 201 returns a link that replaces the password and ends the agent's sessions", async () => {
  const session = await s.signIn("diego@acme.example");
  const { body } = await s.adminRequest<IssuedLink>("POST", pathOf("diego", "password-reset"));
  expect(body).toMatchObject({ is_sent: false, email: "diego@acme.example" });
  expect(Date.parse(body.expires_time) - Date.now()).toBeLessThanOrEqual(60 * MINUTE_MS);
  const statusOf = async () => (await s.page("GET", "/v2/agents", { session })).code;
  expect(await statusOf()).toBe(200);
  expect((await choose(secretOfLink(body.link ?? ""), "another good password")).code).toBe(200);
  await waitUntil(async () => (await statusOf()) === 401);
  const signIn = (password: string) =>
    s.page("POST", "/identity/sign-in", { body: { account: "acme", email: "diego@acme.example", password } });
  expect([(await signIn(PASSWORD)).code, (await signIn("another good password")).code]).toEqual([401, 200]);
});

test("POST /admin/accounts/{account}/sign-in-links 201 creates a link for the named agent, or else the first account admin", async () => {
  const create = (body: object) => s.adminRequest<object>("POST", "/admin/accounts/acme/sign-in-links", body);
  for (const [body, email] of [
    [{}, "olivia@acme.example"],
    [{ email: "DIEGO@acme.example" }, "diego@acme.example"],
  ] as const)
    expect(await create(body)).toMatchObject({
      code: 201,
      body: {
        link: expect.stringMatching(new RegExp(`^${s.origin}/sign-in/link/[\\w-]{43}$`)),
        account: "acme",
        agent_id: agents.get(email),
        email,
        expires_time: expect.any(String),
      },
    });
});

describe("an unknown account or agent", () => {
  test.each([
    [
      "POST /admin/accounts/{account}/agents/{agent_id}/invitation 404 ACCOUNT_NOT_FOUND",
      pathOf("none", "invitation", "nobody"),
    ],
    ["POST /admin/accounts/{account}/agents/{agent_id}/invitation 404 AGENT_NOT_FOUND", pathOf("none", "invitation")],
    [
      "POST /admin/accounts/{account}/agents/{agent_id}/password-reset 404 ACCOUNT_NOT_FOUND",
      pathOf("none", "password-reset", "nobody"),
    ],
    [
      "POST /admin/accounts/{account}/agents/{agent_id}/password-reset 404 AGENT_NOT_FOUND",
      pathOf("01890000-0000-7000-8000-000000000001", "password-reset"),
    ],
    ["POST /admin/accounts/{account}/sign-in-links 404 ACCOUNT_NOT_FOUND", "/admin/accounts/nobody/sign-in-links"],
    ["POST /admin/accounts/{account}/sign-in-links 404 AGENT_NOT_FOUND", "/admin/accounts/acme/sign-in-links"],
  ])("%s", async (title, path) => {
    const body = path.endsWith("links") ? { email: "nobody@acme.example" } : undefined;
    const reply = await s.adminRequest("POST", path, body);
    expect(`${reply.code} ${reply.body.status}`).toBe(title.split(" ").slice(2).join(" "));
  });
  test("includes an agent of another account", async () => {
    const path = `/admin/accounts/solo/agents/${agents.get("diego@acme.example")}/invitation`;
    expect((await s.adminRequest("POST", path)).body.status).toBe("AGENT_NOT_FOUND");
  });
  test("a deactivated agent gets no link", async () => {
    const invited = await s.adminRequest("POST", pathOf("tom", "invitation"));
    expect(invited).toMatchObject({ code: 400, body: { status: "INVALID_VALUE" } });
    const signIn = await s.adminRequest("POST", "/admin/accounts/acme/sign-in-links", { email: "tom@acme.example" });
    expect(signIn).toMatchObject({ code: 404, body: { status: "AGENT_NOT_FOUND" } });
  });
});

describe("a session", () => {
  let admin: BrowserSession;
  beforeAll(async () => {
    admin = await s.signIn("noah@acme.example");
  });
  const post = (path: string, session: BrowserSession) => s.page("POST", path, { session });

  test.each(["invitation", "password-reset"] as const)(
    "of the role ADMIN can create the link %s for agents of its own and lower roles, and not for an account admin",
    async (kind) => {
      expect((await post(pathOf("maya", kind), admin)).code).toBe(201);
      const refused = await post(pathOf("olivia", kind), admin);
      expect([refused.code, refused.body.status]).toEqual([403, "FORBIDDEN"]);
      const { id } = await s.client.agents.createAgent({
        body: { email: `second-${kind}@acme.example`, role_id: "ACCOUNT_ADMIN" },
      });
      const owner = await s.signIn("olivia@acme.example");
      expect((await post(pathOf(id, kind), owner)).code).toBe(201);
      expect((await post(pathOf("olivia", kind), owner)).code).toBe(403);
    },
  );
  test("of a lower role, or of another account, creates no link", async () => {
    const agent = await s.signIn("kenji@acme.example");
    expect((await post(pathOf("maya", "invitation"), agent)).code).toBe(403);
    const other = await s.signIn("sam@solo.example", { account: "solo" });
    expect((await post(pathOf("maya", "invitation"), other)).code).toBe(403);
  });
  test("creates no link that signs in", async () => {
    const owner = await s.signIn("olivia@acme.example");
    const refused = await s.page("POST", "/admin/accounts/acme/sign-in-links", { session: owner, body: {} });
    expect([refused.code, refused.body.status]).toEqual([403, "FORBIDDEN"]);
  });
});

describe("a link", () => {
  test.each([
    ["invitation", 7 * 24 * 60],
    ["password-reset", 60],
  ] as const)("%s is valid until its time and not after it", async (kind, minutes) => {
    const { link = "" } = await issue("kenji", kind);
    clock.ahead += minutes * MINUTE_MS - 10_000;
    expect((await question(secretOfLink(link))).code).toBe(200);
    clock.ahead += 11_000;
    expect((await choose(secretOfLink(link))).body.status).toBe("LINK_NOT_VALID");
    clock.ahead = 0;
  });
  test("becomes invalid when the agent gets another e-mail address, and not by another change", async () => {
    const { id } = await s.client.agents.createAgent({ body: { email: "mistyped@acme.example" } });
    const { body } = await s.adminRequest<IssuedLink>("POST", `/admin/accounts/acme/agents/${id}/invitation`);
    const secret = secretOfLink(body.link ?? "");
    await s.client.agents.updateAgent({ params: { agent_id: id }, body: { first_name: "Ada" } });
    expect((await question(secret)).code).toBe(200);
    await s.client.agents.updateAgent({ params: { agent_id: id }, body: { email: "right@acme.example" } });
    expect((await choose(secret)).body).toMatchObject({ status: "LINK_NOT_VALID" });
  });

  test("becomes invalid by a newer one for the same agent, and not by one for another agent", async () => {
    const first = secretOfLink((await issue("kenji")).link ?? "");
    await issue("hannah");
    expect((await question(first)).code).toBe(200);
    const second = secretOfLink((await issue("kenji", "password-reset")).link ?? "");
    expect((await question(first)).body.status).toBe("LINK_NOT_VALID");
    const third = secretOfLink((await issue("kenji")).link ?? "");
    expect((await choose(second)).body.status).toBe("LINK_NOT_VALID");
    expect((await choose(third)).code).toBe(200);
  });
  test("ends with its agent", async () => {
    const create = async (email: string) => {
      const { id = "" } = await s.client.agents.createAgent({ body: { email, first_name: "Ann" } });
      agents.set(email, id);
      const { body } = await s.adminRequest<IssuedLink>("POST", `/admin/accounts/acme/agents/${id}/invitation`);
      return { id, token: secretOfLink(body.link ?? "") };
    };
    const [deleted, deactivated] = [await create("deleted@acme.example"), await create("off@acme.example")];
    expect([(await question(deleted.token)).code, (await question(deactivated.token)).code]).toEqual([200, 200]);
    await s.client.agents.deleteAgent({ params: { agent_id: deleted.id } });
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${deactivated.id}`, { is_deactivated: true });
    for (const { token } of [deleted, deactivated]) {
      expect((await question(token)).body.status).toBe("LINK_NOT_VALID");
      expect(await choose(token)).toMatchObject({ code: 404, body: { status: "LINK_NOT_VALID" } });
    }
  });
  test("is in the audit log without its secret", async () => {
    const { link = "" } = await issue("maya");
    const { body } = await s.adminRequest<object>("GET", "/admin/accounts/acme/audit-log?items_per_page=100");
    expect(JSON.stringify(body)).not.toContain(secretOfLink(link));
    expect(s.logLines.join("\n")).not.toContain(secretOfLink(link));
  });
});
