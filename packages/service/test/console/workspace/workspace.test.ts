import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { AgentScope, ListedAgent } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { sessionHarness, type SessionHarness } from "../../identity/authentication/session-harness.ts";
import { pageClient } from "../../identity/authentication/session-client.ts";
import { createSessionFixture, signedInAgent, type SessionFixture } from "../../matrix/session-fixture.ts";

let s: SessionHarness;
let fixture: SessionFixture;
beforeAll(async () => {
  s = await sessionHarness();
  fixture = await createSessionFixture(s);
});
afterAll(() => s.close());

const workspaceOf = async (scope: AgentScope = "Global") => {
  const { session } = signedInAgent(fixture, "AGENT", scope);
  return pageClient(s.url, session).workspace.getWorkspace();
};

test("GET /console/api/workspace 200 has the signed-in agent, and what conversations refer to as the API lists it", async () => {
  const me = signedInAgent(fixture, "AGENT");
  const { account, agent, agents, agent_statuses, groups, channels, fields } = await workspaceOf();
  expect(account).toEqual({
    name: "acme",
    domain: "acme.parley.localhost",
    has_properties: true,
    is_demo: true,
    timezone: "America/New_York",
  });
  expect(agent).toEqual({
    account: "acme",
    agent_id: me.id,
    email: me.email,
    first_name: "AGENT",
    last_name: "Global",
    role_id: "AGENT",
    role: "AGENT",
    scope: "Global",
    groups: [fixture.groupId],
  });
  const all = { query: { items_per_page: 100 } };
  expect(groups).toEqual((await s.client.groups.listGroups(all)).groups);
  const byName = { query: { items_per_page: 100, sort_by: "name", sort_order: "asc" } } as const;
  expect(channels).toEqual((await s.client.channels.listChannels(byName)).channels);
  expect(fields).toEqual(await s.client.fields.listFields());
  expect(agent_statuses).toEqual((await s.client.agents.listAgentStatuses()).states);
  const listed: ListedAgent[] = [];
  for await (const each of s.client.agents.listAgents.items(all))
    listed.push({
      id: each.id,
      email: each.email,
      groups: each.groups,
      is_active: !each.is_deactivated,
      availability_status: each.availability_status,
      ...(each.first_name !== undefined && { first_name: each.first_name }),
      ...(each.last_name !== undefined && { last_name: each.last_name }),
      ...(each.avatar?.url !== undefined && { avatar_url: each.avatar.url }),
      ...(each.agent_status && { agent_status: each.agent_status }),
    });
  const sorted = (list: readonly ListedAgent[]) => [...list].sort((one, other) => (one.id < other.id ? -1 : 1));
  expect(listed.length).toBeGreaterThan(16);
  expect(sorted(agents)).toEqual(sorted(listed));
});

test("GET /console/api/workspace lists deactivated agents, and deleted ones no more", async () => {
  const body = { email: "leaver@acme.example", avatar: { url: "https://acme.example/leaver.png" } };
  const { id: agent_id } = await s.client.agents.createAgent({ body });
  const found = async () => (await workspaceOf()).agents.find(({ id }) => id === agent_id);
  expect(await found()).toMatchObject({ is_active: true, avatar_url: body.avatar.url });
  await s.adminRequest("PUT", `/admin/accounts/acme/agents/${agent_id}`, { is_deactivated: true });
  expect(await found()).toMatchObject({ is_active: false });
  await s.client.agents.deleteAgent({ params: { agent_id } });
  expect(await found()).toBeUndefined();
});

test("GET /console/api/workspace 200 for every scope, since it contains no customer", async () => {
  for (const scope of ["None", "Me", "Group"] as const) {
    const { agent, agents } = await workspaceOf(scope);
    expect(agent.scope).toBe(scope);
    expect(agents.length).toBeGreaterThan(16);
  }
});

test("GET /console/api/workspace is that of the session's account, without properties outside of a suite", async () => {
  const { agents: solo } = await s.solo.agents.listAgents();
  const session = await s.signIn(solo[0]?.email ?? "", { account: "solo" });
  const { account, agents } = await pageClient(s.url, session).workspace.getWorkspace();
  expect([account.name, account.has_properties, account.timezone]).toEqual(["solo", false, "UTC"]);
  expect(agents.map(({ id }) => id).sort()).toEqual(solo.map(({ id }) => id).sort());
});

test("GET /console/api/workspace UNAUTHENTICATED without a session", async () => {
  expect((await s.page("GET", "/console/api/workspace")).code).toBe(401);
});

test("GET /console/api/workspace 200 with thousands of agents", async () => {
  const pool = s.database.pool(SERVICE_SCHEMA, { max: 1 });
  const copies = statement(
    "",
    `insert into agents (account_id, id, email, first_name, last_name, groups, availability_status, is_deactivated, created_time, body)
     select account_id, gen_random_uuid(), 'many' || number || '@acme.example', first_name, 'Many ' || number, groups,
            availability_status, is_deactivated, created_time, body
       from agents, generate_series(1, 4000) as number
      where account_id = 1001 and email = $1`,
  );
  await pool.rows(copies, [signedInAgent(fixture, "AGENT").email]);
  await pool.end();
  expect((await workspaceOf()).agents.length).toBeGreaterThan(4_000);
});
