import { describe, expect, test } from "@jest/globals";
import type { Agent } from "@parley/contract";
import { UNKNOWN_ID, refusalToken, textParts } from "../../messaging/conversations/conversations-harness.ts";
import { agentsHarness, JSON_BODY, checkedAgent } from "./agents-harness.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const d = fileFixture(agentsHarness);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const get = (agent_id: string) => d.client.agents.getAgent({ params: { agent_id } });
const put = (agent_id: string, body: object) => d.client.agents.updateAgent({ params: { agent_id }, body });

describe("POST /agents", () => {
  test("POST /agents 201: only the e-mail address is required", async () => {
    const reply = await d.raw("POST", "/v2/agents", {
      body: JSON.stringify({ email: "New@acme.example" }),
      headers: JSON_BODY,
    });
    expect(reply.status).toBe(201);
    const agent = checkedAgent((await reply.json()) as Agent);
    expect(agent).toEqual({
      id: expect.stringMatching(UUID),
      created_time: expect.stringMatching(/Z$/),
      email: "New@acme.example",
      agent_capacity: 5,
      agent_status: { id: expect.stringMatching(UUID), name: "Available" },
      availability_status: "AVAILABLE",
      avatar: {},
      masterid_group_ids: [],
      masterid_uuid: expect.stringMatching(UUID),
      groups: [],
      is_deactivated: false,
      is_deleted: false,
      license_type: "fulltime",
      login_status: false,
      org_contact_id: expect.stringMatching(UUID),
      role_id: "AGENT",
      role_name: "Agent",
      routing_type: "INTELLIASSIGN",
      scope: "Group",
      social_profiles: [],
    });
    expect(await get(agent.id)).toEqual(agent);
    expect(await d.agentActivity(agent.id)).toEqual([[null, "Available", "AVAILABLE"]]);
  });

  test("POST /agents 201: every member is stored; null, unknown and read-only members are ignored", async () => {
    const input = {
      avatar: { url: "https://acme.example/a.png" },
      biography: "line\none\ttwo",
      first_name: "Zoë",
      last_name: "O'Neil 😀",
      locale: "es",
      phone: "+4930123456",
      skill_id: "7",
      social_profiles: [{ id: "@zoe", type: "twitter" as const }],
      timezone: "Europe/Berlin",
      license_type: "occasional",
      org_contact_id: "org-zoe",
    };
    const groups = [d.groupIdOf("Sales").toUpperCase(), d.groupIdOf("Support"), d.groupIdOf("Sales")];
    const more = { is_deactivated: true, id: UNKNOWN_ID, role_id: null, color: "red" };
    const agent = await d.createAgent({ ...input, groups, ...(more as object) });
    expect(agent).toMatchObject({
      ...input,
      groups: [d.groupIdOf("Sales"), d.groupIdOf("Support")],
      is_deactivated: false,
      role_id: "AGENT",
    });
    expect(agent.masterid_group_ids).toHaveLength(2);
    expect(agent.id).not.toBe(UNKNOWN_ID);
    expect(agent).not.toHaveProperty("color");
    const { agents } = await d.client.agents.listAgents({
      query: { groups: d.groupIdOf("Support"), items_per_page: 100 },
    });
    expect(agents).toContainEqual(agent);
  });

  test.each([
    [{ role_id: "ADMIN" }, "ADMIN", "Admin", "Global"],
    [{ role_name: "Super user" }, "SUPER_USER", "Super user", "Global"],
    [{ role_name: "account ADMIN" }, "ACCOUNT_ADMIN", "Account admin", "Global"],
    [{ role_id: "AGENT", role_name: "Agent" }, "AGENT", "Agent", "Group"],
    [{ role_name: "Shift lead" }, expect.stringMatching(UUID), "Shift lead", "Group"],
  ])("the role %j is returned with id and name, and determines the scope", async (input, role_id, role_name, scope) => {
    expect(await d.createAgent(input)).toMatchObject({ role_id, role_name, scope });
  });

  test.each([
    ["an unknown role_id", { role_id: "KING" }],
    ["an empty role_id", { role_id: "" }],
    ["an unknown role_name", { role_name: "King" }],
    ["an id and a name of two roles", { role_id: "ADMIN", role_name: "Agent" }],
  ])("POST /agents 404 ROLE_NOT_FOUND: %s", async (_, input) => {
    expect(await refusalToken(d.createAgent(input))).toBe("ROLE_NOT_FOUND");
  });

  test("POST /agents 404 GROUP_NOT_FOUND: an unknown id, a malformed id, and another account's group", async () => {
    const { groups } = await d.solo.groups.listGroups();
    for (const id of [UNKNOWN_ID, "Sales", "", groups[0]?.id ?? ""])
      expect(await refusalToken(d.createAgent({ groups: [d.groupIdOf("Sales"), id] }))).toBe("GROUP_NOT_FOUND");
  });

  test("POST /agents 409 AGENT_EMAIL_TAKEN: regardless of case, but not for another account's agent", async () => {
    const before = await d.client.agents.listAgents();
    const { email } = await d.createAgent();
    for (const usedEmail of [email, email.toUpperCase(), "OLIVIA@acme.example"])
      expect(await refusalToken(d.createAgent({ email: usedEmail }))).toBe("AGENT_EMAIL_TAKEN");
    await d.solo.agents.createAgent({ body: { email } });
    const after = await d.client.agents.listAgents();
    expect(after.pagination.total_items).toBe(before.pagination.total_items + 1);
  });

  test("of many concurrent requests with one address, one creates an agent", async () => {
    const created = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        refusalToken(d.createAgent({ email: index % 2 ? "RUSH@x.example" : "rush@x.example" })),
      ),
    );
    expect(created.sort()).toEqual([...Array<string>(11).fill("AGENT_EMAIL_TAKEN"), "no refusal"]);
  });

  test("a new agent can be assigned and can write messages at once", async () => {
    const { conversation_id } = await d.createConversation();
    // A process updates its cached agents when one is added.
    await d.updateConversation(conversation_id, { status: "assigned", assigned_agent_id: d.agentNamed("Noah").id });
    const agent = await d.createAgent({ groups: [d.groupIdOf("Billing")] });
    const changed = await d.updateConversation(conversation_id, {
      status: "assigned",
      assigned_agent_id: agent.id,
      assigned_group_id: d.groupIdOf("Billing"),
    });
    expect(changed).toMatchObject({ status: "assigned", assigned_org_agent_id: agent.org_contact_id });
    await d.createMessage(conversation_id, {
      actor_type: "agent",
      actor_id: agent.id,
      message_parts: textParts("Hello"),
    });
    await put(agent.id, { groups: [d.groupIdOf("Sales")] });
    const elsewhere = {
      status: "assigned",
      assigned_agent_id: agent.id,
      assigned_group_id: d.groupIdOf("Billing"),
    } as const;
    expect(await refusalToken(d.updateConversation(conversation_id, elsewhere))).toBe("AGENT_NOT_IN_GROUP");
  });

  const EMAIL = { email: "fine@acme.example" };
  test.each([
    ["no body", undefined, "MISSING_PARAMETER", /body/],
    ["no e-mail", {}, "MISSING_PARAMETER", /email/],
    ["a null e-mail", { email: null }, "MISSING_PARAMETER", /email/],
    ["an empty e-mail", { email: "" }, "INVALID_VALUE", /email/],
    ["an e-mail without @", { email: "ana" }, "INVALID_VALUE", /email/],
    ["two @", { email: "a@b@c.d" }, "INVALID_VALUE", /email/],
    ["a space in it", { email: "a b@c.example" }, "INVALID_VALUE", /email/],
    ["a control character in it", { email: "a\u0007@c.example" }, "INVALID_VALUE", /email/],
    ["a NUL", { ...EMAIL, first_name: "a\0b" }, "INVALID_VALUE", /NUL/],
    ["a very long e-mail", { email: `${"a".repeat(250)}@c.example` }, "INVALID_VALUE", /email/],
    ["an e-mail that is a number", { email: 7 }, "INVALID_VALUE", /email/],
    ["a name too long", { ...EMAIL, first_name: "a".repeat(1025) }, "INVALID_VALUE", /first_name/],
    ["groups that are not a list", { ...EMAIL, groups: "Sales" }, "INVALID_VALUE", /groups/],
    ["groups of numbers", { ...EMAIL, groups: [1] }, "INVALID_VALUE", /groups\[0\]/],
    ["too many groups", { ...EMAIL, groups: Array(101).fill(UNKNOWN_ID) }, "INVALID_VALUE", /groups/],
    ["an unknown kind of profile", { ...EMAIL, social_profiles: [{ id: "x", type: "icq" }] }, "INVALID_VALUE", /type/],
    [
      "a time zone of another planet",
      { ...EMAIL, timezone: "Mars/Phobos" },
      "INVALID_VALUE",
      /timezone must be a name/,
    ],
    ["an offset for a time zone", { ...EMAIL, timezone: "+02:00" }, "INVALID_VALUE", /timezone/],
    ["a script for a picture", { ...EMAIL, avatar: { url: "javascript:alert(1)" } }, "INVALID_VALUE", /avatar\.url/],
    ["a list", [], "INVALID_VALUE", /body/],
    ["no JSON", "{", "INVALID_JSON", /JSON/],
  ])("POST /agents 400 for %s", async (_, body, token, says) => {
    expect(await d.responseOf("POST", "/agents", body)).toEqual([400, token, expect.stringMatching(says)]);
  });

  test.each([
    ["PUT", "/agents"],
    ["DELETE", "/agents"],
    ["POST", "/agents/status"],
    ["POST", `/agents/${UNKNOWN_ID}`],
  ])("405 METHOD_NOT_ALLOWED for %s %s", async (method, path) => {
    const [code, token] = await d.responseOf(method, path, {});
    // For PUT and DELETE, `status` is not an agent's id.
    expect([code, token]).toEqual([405, "METHOD_NOT_ALLOWED"]);
  });
});

describe("GET /agents/{agent_id}", () => {
  test("GET /agents/{agent_id} 200, regardless of the id's case", async () => {
    const agent = d.agentNamed("Maya");
    expect(await get(agent.id.toUpperCase())).toEqual(agent);
  });
  test("GET /agents/{agent_id} 404 AGENT_NOT_FOUND: an unknown id, a malformed id, another account's agent", async () => {
    const [theirs] = (await d.solo.agents.listAgents()).agents;
    for (const id of [UNKNOWN_ID, "42", "%20", theirs?.id ?? "", "a".repeat(1000)])
      expect(await d.responseOf("GET", `/agents/${id}`)).toEqual([404, "AGENT_NOT_FOUND", "agent not found"]);
  });
});

describe("PUT /agents/{agent_id}", () => {
  test("PUT /agents/{agent_id} 200: given members change; omitted members and nulls keep their values", async () => {
    const agent = await d.createAgent({
      first_name: "Lia",
      phone: "1",
      groups: [d.groupIdOf("Sales")],
      role_id: "ADMIN",
    });
    const body = JSON.stringify({ first_name: "Lea", last_name: null, phone: null, biography: "", groups: null });
    const reply = await d.raw("PUT", `/v2/agents/${agent.id}`, { body, headers: JSON_BODY });
    expect(reply.status).toBe(200);
    const changed = checkedAgent((await reply.json()) as Agent);
    expect(changed).toEqual({ ...agent, first_name: "Lea", biography: "" });
    expect(await get(agent.id)).toEqual(changed);
    const { agents } = await d.client.agents.listAgents({ query: { sort_by: "first_name", items_per_page: 100 } });
    expect(agents).toContainEqual(changed);
    expect(await put(agent.id, {})).toEqual(changed);
    expect(await d.agentActivity(agent.id)).toHaveLength(1);
  });

  test("PUT /agents/{agent_id} 200: groups, role and e-mail update the members that depend on them", async () => {
    const agent = await d.createAgent({ groups: [d.groupIdOf("Sales")] });
    const kenji = d.agentNamed("Kenji");
    const changed = await put(agent.id, {
      groups: [d.groupIdOf("Billing")],
      role_name: "Admin",
      email: agent.email.toUpperCase(),
    });
    expect(changed).toMatchObject({
      groups: kenji.groups,
      masterid_group_ids: kenji.masterid_group_ids,
      role_id: "ADMIN",
      scope: "Global",
      email: agent.email.toUpperCase(),
    });
    const { agents } = await d.client.agents.listAgents({
      query: { groups: d.groupIdOf("Sales"), items_per_page: 100 },
    });
    expect(agents.map(({ id }) => id)).not.toContain(agent.id);
    expect(await put(agent.id, { groups: [] })).toMatchObject({ groups: [], masterid_group_ids: [] });
  });

  test("PUT /agents/{agent_id} 409 AGENT_EMAIL_TAKEN: nothing changes", async () => {
    const agent = await d.createAgent();
    const usedEmail = { email: "OLIVIA@acme.example", first_name: "Nobody" };
    expect(await refusalToken(put(agent.id, usedEmail))).toBe("AGENT_EMAIL_TAKEN");
    expect(await get(agent.id)).toEqual(agent);
  });

  test.each([
    ["PUT /agents/{agent_id} 404 GROUP_NOT_FOUND", { groups: [UNKNOWN_ID] }, "GROUP_NOT_FOUND"],
    ["PUT /agents/{agent_id} 404 ROLE_NOT_FOUND", { role_id: "KING" }, "ROLE_NOT_FOUND"],
    ["PUT /agents/{agent_id} 400 for no address", { email: "ana" }, "INVALID_VALUE"],
    ["PUT /agents/{agent_id} 400 for no time zone", { timezone: "Mars/Phobos" }, "INVALID_VALUE"],
  ])("%s: nothing changes", async (_, body, token) => {
    const agent = await d.createAgent();
    expect(await refusalToken(put(agent.id, { ...body, first_name: "Nobody" }))).toBe(token);
    expect(await get(agent.id)).toEqual(agent);
  });

  test("PUT /agents/{agent_id} 404 AGENT_NOT_FOUND: an unknown id, a malformed id, another account's agent", async () => {
    const [theirs] = (await d.solo.agents.listAgents()).agents;
    for (const id of [UNKNOWN_ID, "42", theirs?.id ?? ""])
      for (const body of [{ first_name: "X" }, { groups: [UNKNOWN_ID] }, {}])
        expect(await refusalToken(put(id, body))).toBe("AGENT_NOT_FOUND");
  });

  test("concurrent changes keep each other's values", async () => {
    const { id } = await d.createAgent();
    const { states } = await d.client.agents.listAgentStatuses();
    const [, , last] = states;
    const fields = ["first_name", "last_name", "biography", "phone", "locale", "skill_id"] as const;
    await Promise.all([
      ...fields.map((field) => put(id, { [field]: field })),
      d.client.agents.updateAgentStatus({ params: { agent_id: id }, body: { agent_status: last } }),
      put(id, { groups: [d.groupIdOf("Sales")] }),
      put(id, { role_id: "ADMIN" }),
    ]);
    expect(await get(id)).toMatchObject({
      ...Object.fromEntries(fields.map((field) => [field, field])),
      agent_status: last,
      availability_status: "UNAVAILABLE",
      groups: [d.groupIdOf("Sales")],
      role_id: "ADMIN",
    });
  });
});
