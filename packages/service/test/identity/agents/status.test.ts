import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AgentStatus } from "@parley/contract";
import { UNKNOWN_ID, refusalToken } from "../../messaging/conversations/conversations-harness.ts";
import { type AgentsHarness, agentsHarness, JSON_BODY } from "./agents-harness.ts";

let d: AgentsHarness;
let states: AgentStatus[];
beforeAll(async () => {
  d = await agentsHarness();
  ({ states } = await d.client.agents.listAgentStatuses());
});
afterAll(() => d.close());

const patch = (agent_id: string, agent_status?: Partial<AgentStatus>) =>
  d.client.agents.updateAgentStatus({ params: { agent_id }, body: { agent_status } });
const named = (name: string): AgentStatus => states.find((each) => each.name === name) ?? { id: "", name: "" };

test("GET /agents/status 200: the account's statuses with id and name, available ones first", async () => {
  expect(states.map(({ name }) => name)).toEqual(["Available", "At lunch", "Away", "Finishing up"]);
  for (const state of states) expect(Object.keys(state).sort()).toEqual(["id", "name"]);
  expect((await d.solo.agents.listAgentStatuses()).states.map(({ name }) => name)).toEqual(["Available"]);
});

describe("a status that an agent has is accepted as it was read, and another status refused with 400 INVALID_VALUE", () => {
  const refusal = async (method: string, id: string, body: object) => {
    const reply = await d.raw(method, `/v2/agents/${id}`, { headers: JSON_BODY, body: JSON.stringify(body) });
    const { status, message } = (await reply.json()) as { status?: string; message?: string };
    return reply.status === 200 ? "accepted" : `${status}: ${message}`;
  };

  test("PUT /agents/{agent_id} and PATCH /agents/{agent_id} with availability_status", async () => {
    const agent = await d.createAgent();
    const { id, availability_status } = agent;
    for (const method of ["PUT", "PATCH"]) {
      expect(await refusal(method, id, { availability_status })).toBe("accepted");
      expect(await refusal(method, id, { availability_status: "UNAVAILABLE" })).toMatch(
        /^INVALID_VALUE: availability_status follows from agent_status: .*GET \/agents\/status/,
      );
    }
    expect(await refusal("PUT", id, { ...agent, agent_status: named("Away") })).toMatch(
      /^INVALID_VALUE: agent_status /,
    );
    expect(await refusal("PUT", id, agent)).toBe("accepted");
    expect(await d.client.agents.getAgent({ params: { agent_id: id } })).toEqual(agent);
    // The availability of before, and the one that follows.
    for (const each of [availability_status, "UNAVAILABLE"])
      expect(await refusal("PATCH", id, { agent_status: named("Away"), availability_status: each })).toBe("accepted");
    expect(await d.client.agents.getAgent({ params: { agent_id: id } })).toMatchObject({ agent_status: named("Away") });
  });
});

describe("PATCH /agents/{agent_id}", () => {
  test("PATCH /agents/{agent_id} 200: availability follows the status, and each change has one event", async () => {
    const { id } = await d.createAgent();
    const away = { availability_status: "UNAVAILABLE", agent_status: named("Away") };
    expect(await patch(id, named("Away"))).toEqual(away);
    expect(await patch(id, named("Away"))).toEqual(away);
    expect(await d.client.agents.getAgent({ params: { agent_id: id } })).toMatchObject(away);
    expect(await patch(id, named("At lunch"))).toMatchObject({ availability_status: "UNAVAILABLE" });
    const upper = { ...named("Available"), id: named("Available").id.toUpperCase() };
    expect(await patch(id, upper)).toEqual({ availability_status: "AVAILABLE", agent_status: named("Available") });
    expect(await d.agentActivity(id)).toEqual([
      [null, "Available", "AVAILABLE"],
      ["Available", "Away", "UNAVAILABLE"],
      ["Away", "At lunch", "UNAVAILABLE"],
      ["At lunch", "Available", "AVAILABLE"],
    ]);
    const { agents } = await d.client.agents.listAgents({
      query: { availability_status: "AVAILABLE", items_per_page: 100 },
    });
    expect(agents.map((agent) => agent.id)).toContain(id);
  });

  test("PATCH /agents/{agent_id} 200: either the id or the name is sufficient", async () => {
    const { id } = await d.createAgent();
    const { id: statusId, name } = named("Away");
    expect(await patch(id, { id: statusId })).toMatchObject({ agent_status: named("Away") });
    expect(await patch(id, { name: "Available" })).toMatchObject({ agent_status: named("Available") });
    expect(await patch(id, { name })).toMatchObject({ availability_status: "UNAVAILABLE" });
  });

  test.each([{}, { agent_status: null }, { agent_status: {} }, { other: 1 }])(
    "PATCH /agents/{agent_id} 200: %j keeps the status",
    async (body) => {
      const { id, agent_status } = d.agentNamed("Kenji");
      const reply = await d.raw("PATCH", `/v2/agents/${id}`, { body: JSON.stringify(body), headers: JSON_BODY });
      expect([reply.status, await reply.json()]).toEqual([200, { availability_status: "UNAVAILABLE", agent_status }]);
    },
  );

  test("PATCH /agents/{agent_id} 400 AGENT_STATUS_NOT_FOUND: an id and a name of different statuses", async () => {
    const agent = d.agentNamed("Noah");
    const [theirs] = (await d.solo.agents.listAgentStatuses()).states;
    const away = named("Away");
    for (const status of [
      { id: away.id, name: "Available" },
      { id: UNKNOWN_ID, name: "Away" },
      { id: "Away", name: "Away" },
      { id: "", name: "" },
      { id: UNKNOWN_ID },
      { name: "away" },
      { id: away.id, name: "away" },
      theirs,
    ])
      expect(await refusalToken(patch(agent.id, status))).toBe("AGENT_STATUS_NOT_FOUND");
    expect(await d.client.agents.getAgent({ params: { agent_id: agent.id } })).toEqual(agent);
  });

  test.each([
    ["no body", undefined, "MISSING_PARAMETER"],
    ["a status that is a text", { agent_status: "Away" }, "INVALID_VALUE"],
    ["a number for a name", { agent_status: { id: UNKNOWN_ID, name: 1 } }, "INVALID_VALUE"],
  ])("PATCH /agents/{agent_id} 400 for %s", async (_, body, token) => {
    expect(await d.responseOf("PATCH", `/agents/${d.agentNamed("Noah").id}`, body)).toEqual([
      400,
      token,
      expect.any(String),
    ]);
  });

  test("PATCH /agents/{agent_id} 404 AGENT_NOT_FOUND: an unknown id, a malformed id, another account's agent", async () => {
    const [theirs] = (await d.solo.agents.listAgents()).agents;
    for (const id of [UNKNOWN_ID, "42", theirs?.id ?? ""])
      for (const status of [named("Away"), undefined, { id: "x", name: "x" }])
        expect(await refusalToken(patch(id, status))).toBe("AGENT_NOT_FOUND");
  });
});
