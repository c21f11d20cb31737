import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AccessToken, Agent, AgentRole, AgentScope } from "@parley/contract";
import {
  createSessionFixture,
  signedInAgent,
  type SessionFixture,
  type SignedInAgent,
} from "../../matrix/session-fixture.ts";
import { sessionHarness, type SessionHarness } from "./session-harness.ts";

let s: SessionHarness;
let fixture: SessionFixture;
beforeAll(async () => {
  s = await sessionHarness();
  fixture = await createSessionFixture(s);
});
afterAll(() => s.close());

const agent = (role: AgentRole, scope?: AgentScope): SignedInAgent => signedInAgent(fixture, role, scope);

describe("what agents may change of agents", () => {
  const put = (by: SignedInAgent, id: string, body: object) =>
    s.page<Agent>("PUT", `/v2/agents/${id}`, { session: by.session, body });

  test("PUT /agents/{agent_id} 200 for the own profile", async () => {
    const own = agent("AGENT");
    const { code, body } = await put(own, own.id, {
      first_name: "Ada",
      biography: "Support",
      timezone: "Europe/Paris",
    });
    expect([code, body.first_name, body.biography]).toEqual([200, "Ada", "Support"]);
  });

  test.each([
    ["role_id", "ACCOUNT_ADMIN"],
    ["role_name", "Account admin"],
    ["groups", []],
    ["email", "other@acme.example"],
    ["license_type", "occasional"],
  ])("PUT /agents/{agent_id} FORBIDDEN for the own %s", async (name, value) => {
    for (const own of [agent("AGENT"), agent("SUPER_USER")]) {
      const { code, body } = await put(own, own.id, { [name]: value });
      expect([code, body.status]).toEqual([403, "FORBIDDEN"]);
    }
  });

  test("an admin can neither change an account admin nor make one", async () => {
    const by = agent("ADMIN");
    const higher = agent("ACCOUNT_ADMIN", "Group");
    const { session } = by;
    const outcomes = [
      await put(by, higher.id, { first_name: "Mallory" }),
      await put(by, higher.id, { email: "mallory@acme.example" }),
      await put(by, agent("AGENT", "Me").id, { role_id: "ACCOUNT_ADMIN" }),
      await s.page("POST", "/v2/agents", { session, body: { email: "new@acme.example", role_id: "ACCOUNT_ADMIN" } }),
      await s.page("DELETE", `/v2/agents/${higher.id}`, { session }),
      await s.page("PATCH", `/v2/agents/${higher.id}`, { session, body: { agent_status: { name: "Away" } } }),
      await s.page("PUT", `/admin/accounts/acme/agents/${higher.id}`, { session, body: { is_deactivated: true } }),
      await s.page("POST", `/admin/accounts/acme/agents/${higher.id}/invitation`, { session }),
      await s.page("POST", `/admin/accounts/acme/agents/${higher.id}/password-reset`, { session }),
      await s.page("GET", `/admin/accounts/acme/agents/${higher.id}/sessions`, { session }),
      await s.page("DELETE", `/admin/accounts/acme/agents/${higher.id}/sessions`, { session }),
      await s.page("DELETE", `/admin/accounts/acme/agents/${higher.id}/second-factor`, { session }),
    ].map(({ code, body }) => `${code} ${body.status}`);
    expect([...new Set(outcomes)]).toEqual(["403 FORBIDDEN"]);
    expect((await s.client.agents.getAgent({ params: { agent_id: higher.id } })).email).toBe(higher.email);
  });

  test("an admin can change and make agents up to its own role", async () => {
    const by = agent("ADMIN");
    const { session } = by;
    const made = await s.page<Agent>("POST", "/v2/agents", {
      session,
      body: { email: "made@acme.example", role_id: "ADMIN" },
    });
    expect(made.code).toBe(201);
    expect((await put(by, made.body.id, { role_id: "AGENT" })).code).toBe(200);
    expect((await s.page("DELETE", `/v2/agents/${made.body.id}`, { session })).code).toBe(202);
  });

  test("a session can't delete, deactivate or demote its own agent", async () => {
    const by = agent("ACCOUNT_ADMIN");
    const { session, id } = by;
    const path = `/admin/accounts/acme/agents/${id}`;
    const outcomes = [
      await s.page("DELETE", `/v2/agents/${id}`, { session }),
      await put(by, id, { role_id: "AGENT" }),
      await s.page("PUT", path, { session, body: { is_deactivated: true } }),
      await s.page("PUT", path, { session, body: { scope: "None" } }),
    ].map(({ code, body }) => `${code} ${body.status}`);
    expect([...new Set(outcomes)]).toEqual(["403 FORBIDDEN"]);
  });
});

describe("administration by a session", () => {
  test("POST /admin/accounts/{account}/tokens 201, DELETE /admin/tokens/{token_id} 200: a token made by an account admin works until it is revoked", async () => {
    const { session } = agent("ACCOUNT_ADMIN");
    const made = await s.page<{ id: string; token: string }>("POST", "/admin/accounts/acme/tokens", {
      session,
      body: { name: "made in the console", permissions: ["group:read"] },
    });
    expect(made.code).toBe(201);
    const use = async () =>
      (await s.raw("GET", "/v2/groups", { headers: { authorization: `Bearer ${made.body.token}` } })).status;
    expect(await use()).toBe(200);
    expect((await s.page("DELETE", `/admin/tokens/${made.body.id}`, { session })).code).toBe(200);
    s.expireCaches();
    expect(await use()).toBe(401);
  });

  test("DELETE /admin/tokens/{token_id} TOKEN_NOT_FOUND for a token of another account, which stays valid", async () => {
    const { body } = await s.adminRequest<{ tokens: AccessToken[] }>("GET", "/admin/accounts/solo/tokens");
    const id = body.tokens[0]?.id ?? "";
    const reply = await s.page("DELETE", `/admin/tokens/${id}`, { session: agent("ACCOUNT_ADMIN").session });
    expect([reply.code, reply.body.status]).toEqual([404, "TOKEN_NOT_FOUND"]);
    expect((await s.solo.groups.listGroups()).groups.length).toBeGreaterThan(0);
  });

  test("PUT /admin/accounts/{account} 200 for settings, FORBIDDEN for what the operator decides about", async () => {
    const { session } = agent("ADMIN");
    const put = (document: object, query = "") =>
      s.page("PUT", `/admin/accounts/acme${query}`, { session, body: { name: "acme", ...document } });
    expect((await put({ groups: [{ name: "Night shift" }] })).code).toBe(200);
    for (const document of [
      { plan_type: "Free" },
      { calls_per_hour: 1_000_000 },
      { datacenter: "AUS" },
      { bundle: { id: 0, type: "STANDALONE" } },
      { organisation: { id: 7 } },
    ]) {
      const { code, body } = await put(document);
      expect([document, code, body.status]).toEqual([document, 403, "FORBIDDEN"]);
      expect((await put(document, "?dry_run=true")).code).toBe(403);
    }
    // The exported document contains these members; applied unchanged, it is accepted.
    const exported = await s.exportDocument("acme");
    expect((await put(exported)).code).toBe(200);
  });
});

test("DELETE /admin/accounts/{account} FORBIDDEN for a session that names fewer than seven days", async () => {
  const { session } = agent("ACCOUNT_ADMIN");
  for (const days of [0, 6]) {
    const { code, body } = await s.page("DELETE", `/admin/accounts/acme?after_days=${days}`, { session });
    expect([code, body.status]).toEqual([403, "FORBIDDEN"]);
  }
  expect((await s.client.groups.listGroups()).groups.length).toBeGreaterThan(0);
});
