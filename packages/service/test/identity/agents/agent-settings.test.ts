import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Agent } from "@parley/contract";
import { UNKNOWN_ID, refusalToken } from "../../messaging/conversations/conversations-harness.ts";
import { adminHarness, type AdminHarness } from "../../operations/administration/endpoints/admin-harness.ts";

let w: AdminHarness;
let agent: Agent;
beforeAll(async () => {
  w = await adminHarness();
  const { agents } = await w.client.agents.listAgents();
  agent = agents.find(({ is_deactivated }) => !is_deactivated) as Agent;
});
afterAll(() => w.close());

const PATH = "/admin/accounts/acme/agents";
const set = (body: unknown, id = agent.id) => w.adminRequest<Agent>("PUT", `${PATH}/${id}`, body);
const get = (agent_id = agent.id) => w.client.agents.getAgent({ params: { agent_id } });
const conversation = async (assigned_agent_id?: string) => {
  const { id } = await w.client.users.createUser({ body: {} });
  const { channels } = await w.client.channels.listChannels();
  return w.client.conversations.createConversation({
    body: {
      channel_id: channels[0]?.id ?? "",
      users: [{ id }],
      messages: [{ actor_type: "user", actor_id: id, message_parts: [{ text: { content: "Hi" } }] }],
      assigned_agent_id,
    },
  });
};

describe("PUT /admin/accounts/{account}/agents/{agent_id}", () => {
  test("PUT /admin/accounts/{account}/agents/{agent_id} 200: sets the capacity and keeps the other settings", async () => {
    expect(await set({ agent_capacity: 12, is_deactivated: null, first_name: "Other" })).toEqual({
      code: 200,
      body: { ...agent, agent_capacity: 12 },
    });
    expect(await get()).toEqual({ ...agent, agent_capacity: 12 });
    expect((await set({}, agent.id.toUpperCase())).body).toEqual({ ...agent, agent_capacity: 12 });
  });

  test("a deactivated agent keeps its conversations, gets no new conversations and is listed as deactivated until it is activated again", async () => {
    const own = await conversation(agent.id);
    expect((await set({ is_deactivated: true })).body).toMatchObject({ is_deactivated: true });
    const stored = await w.client.conversations.getConversation({ params: { conversation_id: own.conversation_id } });
    expect(stored).toMatchObject({ status: "assigned", assigned_agent_id: agent.id });
    expect(await refusalToken(conversation(agent.id))).not.toBe("no refusal");
    const { agents } = await w.client.agents.listAgents({ query: { is_deactivated: true, items_per_page: 100 } });
    expect(agents.map(({ id }) => id)).toContain(agent.id);
    await set({ is_deactivated: false });
    expect((await conversation(agent.id)).assigned_agent_id).toBe(agent.id);
  });

  test.each([
    ["a capacity below none", { agent_capacity: -1 }, 400, "INVALID_VALUE"],
    ["half a conversation", { agent_capacity: 1.5 }, 400, "INVALID_VALUE"],
    ["a word for true", { is_deactivated: "yes" }, 400, "INVALID_VALUE"],
    ["no body", undefined, 400, "MISSING_PARAMETER"],
  ])("refuses %s", async (_title, body, code, status) => {
    expect(await set(body)).toMatchObject({ code, body: { status } });
  });

  test("PUT /admin/accounts/{account}/agents/{agent_id} 404 AGENT_NOT_FOUND, 404 ACCOUNT_NOT_FOUND", async () => {
    for (const id of [UNKNOWN_ID, "42"])
      expect(await set({}, id)).toMatchObject({ code: 404, body: { status: "AGENT_NOT_FOUND" } });
    const elsewhere = (account: string) => w.adminRequest("PUT", `/admin/accounts/${account}/agents/${agent.id}`, {});
    expect(await elsewhere("solo")).toMatchObject({ code: 404, body: { status: "AGENT_NOT_FOUND" } });
    expect(await elsewhere("nowhere")).toMatchObject({ code: 404, body: { status: "ACCOUNT_NOT_FOUND" } });
  });

  test("an account's token is refused, and the API itself sets neither", async () => {
    expect(await w.adminRequest("PUT", `${PATH}/${agent.id}`, {}, w.token)).toMatchObject({ code: 401 });
    const body = { is_deactivated: true, agent_capacity: 99 };
    await w.client.agents.updateAgent({ params: { agent_id: agent.id }, body: body as object });
    expect(await get()).toMatchObject({ is_deactivated: false, agent_capacity: 12 });
  });
});
