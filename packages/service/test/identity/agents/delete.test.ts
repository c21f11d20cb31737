import { describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { UNKNOWN_ID, refusalToken, textParts } from "../../messaging/conversations/conversations-harness.ts";
import { entityOf, receiver } from "../../events/dispatch/fake-subscriber.ts";
import { serviceHarness } from "../../service-harness.ts";
import { type AgentsHarness, agentsHarness } from "./agents-harness.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const d = fileFixture(agentsHarness);

const remove = (agent_id: string, at: AgentsHarness = d) => at.client.agents.deleteAgent({ params: { agent_id } });

/** Number of index scans for an agent's conversations; sessions report it within a second. */
const SCANS = statement(
  "",
  `select idx_scan::integer as scans from pg_stat_user_indexes where indexrelname = 'conversations_assigned'`,
);

/** Releases of an agent's conversations that are due at a time. */
const DUE = statement(
  "",
  `select count(*)::integer as count from due_work where payload like '%' || $1 || '%' and due_time <= $2`,
);

describe("DELETE /agents/{agent_id}", () => {
  test("DELETE /agents/{agent_id} 202, and no list contains the agent any more", async () => {
    const agent = await d.createAgent({ groups: [d.groupIdOf("Sales")] });
    const { id, email } = agent;
    const params = { agent_id: id };
    await d.createConversation({ assigned_agent_id: id });
    const reply = await d.raw("DELETE", `/v2/agents/${id.toUpperCase()}`);
    expect([reply.status, await reply.json()]).toEqual([
      202,
      { code: 202, status: "ACCEPTED", message: "Agent deletion request accepted" },
    ]);
    const { agents } = d.client;
    expect(await refusalToken(agents.getAgent({ params }))).toBe("AGENT_NOT_FOUND");
    expect(await refusalToken(agents.updateAgent({ params, body: { first_name: "X" } }))).toBe("AGENT_NOT_FOUND");
    expect(await refusalToken(agents.updateAgentStatus({ params, body: {} }))).toBe("AGENT_NOT_FOUND");
    for (const query of [{ items_per_page: 100 }, { groups: d.groupIdOf("Sales") }, { is_deactivated: false }])
      expect((await agents.listAgents({ query })).agents.map((each) => each.id)).not.toContain(id);
    const { conversation_id } = await d.createConversation();
    expect(
      await refusalToken(d.updateConversation(conversation_id, { status: "assigned", assigned_agent_id: id })),
    ).toBe("AGENT_NOT_FOUND");
    expect(await refusalToken(d.createConversation({ assigned_agent_id: id }))).toBe("AGENT_NOT_FOUND");
    expect(await refusalToken(d.createMessage(conversation_id, { actor_type: "agent", actor_id: id }))).toBe(
      "AGENT_NOT_FOUND",
    );
    expect(await d.agentActivity(id)).toEqual([
      [null, "Available", "AVAILABLE"],
      ["Available", null, "UNAVAILABLE"],
    ]);
    expect((await d.createAgent({ email })).id).not.toBe(id);
  });

  test("DELETE /agents/{agent_id} 404 AGENT_NOT_FOUND: a second time, an unknown id, a malformed id, another account's agent", async () => {
    const { id } = await d.createAgent();
    const twice = await Promise.all([refusalToken(remove(id)), refusalToken(remove(id))]);
    expect(twice.sort()).toEqual(["AGENT_NOT_FOUND", "no refusal"]);
    const [theirs] = (await d.solo.agents.listAgents()).agents;
    for (const other of [id, UNKNOWN_ID, "42", theirs?.id ?? ""])
      expect(await refusalToken(remove(other))).toBe("AGENT_NOT_FOUND");
    expect((await d.solo.agents.listAgents()).agents).toHaveLength(1);
  });

  test("the agent's open conversations become new again in their group, each with an event", async () => {
    const group = d.groupIdOf("Support");
    const agent = await d.createAgent({ groups: [group] });
    const hers = { status: "assigned", assigned_agent_id: agent.id } as const;
    const started = await Promise.all(
      Array.from({ length: 150 }, (_, index) =>
        d.createConversation(index % 2 ? { ...hers, assigned_group_id: group } : hers),
      ),
    );
    const [one, other, resolved] = started as [(typeof started)[0], (typeof started)[0], (typeof started)[0]];
    await d.createMessage(other.conversation_id, {
      actor_type: "agent",
      actor_id: agent.id,
      message_parts: textParts("I look into it"),
    });
    await d.updateConversation(resolved.conversation_id, { status: "resolved" });

    const pool = d.database.pool(SERVICE_SCHEMA, { max: 1 });
    await remove(agent.id);
    const open = started.filter(({ conversation_id }) => conversation_id !== resolved.conversation_id);
    await waitUntil(async () => {
      const now = await Promise.all(open.map(({ conversation_id }) => d.getConversation(conversation_id)));
      return now.every(({ status }) => status === "new");
    });
    await waitUntil(async () => ((await pool.one<{ scans: number }>(SCANS, []))?.scans ?? 0) > 0);
    await pool.end();
    expect(await d.getConversation(one.conversation_id)).not.toHaveProperty("assigned_agent_id");
    expect(await d.getConversation(one.conversation_id)).not.toHaveProperty("assigned_group_id");
    expect(await d.getConversation(other.conversation_id)).toMatchObject({ status: "new", assigned_group_id: group });
    expect(await d.getConversation(other.conversation_id)).not.toHaveProperty("assigned_agent_id");
    expect(await d.getConversation(resolved.conversation_id)).toMatchObject({
      status: "resolved",
      assigned_agent_id: agent.id,
    });

    for (const { conversation_id } of open) {
      const updates = (await d.loggedEvents(conversation_id)).filter(({ kind }) => kind === "conversation_update");
      expect(updates.map(({ actor_type, changes }) => [actor_type, JSON.parse(changes ?? "") as unknown])).toEqual([
        ["system", { model_changes: { status: ["assigned", "new"], assigned_agent_id: [agent.id, null] } }],
      ]);
    }
    // Receives, after the deletion, the events from before it.
    const host = await receiver();
    await d.admin.subscribe({ account: "acme", name: "late", kind: "app", url: host.url });
    const later = await d.updateConversation(resolved.conversation_id, { status: "new" });
    await host.until(({ accepted }) => accepted.some((event) => entityOf(event) === later.conversation_id));
    expect(host.accepted.find((event) => entityOf(event) === later.conversation_id)?.data).toMatchObject({
      conversation: { status: "new" },
      changes: { model_changes: { status: ["resolved", "new"], assigned_agent_id: [agent.id, null] } },
    });
    await host.close();
    expect(d.logLines).toEqual([]);
  });

  test("conversations that another process assigns before it learns of the deletion are released too", async () => {
    let ahead = 0;
    const ports = { now: () => new Date(Date.now() + ahead) };
    const here = await agentsHarness({ ports });
    const there = await serviceHarness({ ports, database: here.database, objectsFolder: here.objectsFolder });
    const pool = here.database.pool(SERVICE_SCHEMA, { max: 1 });
    const { conversation_id } = await here.createConversation();
    const params = { conversation_id };
    // A process caches an agent for up to a second: if the first release took longer, the assignment was not late.
    let late = "AGENT_NOT_FOUND";
    for (let tries = 0; tries < 10 && late === "AGENT_NOT_FOUND"; tries += 1) {
      const body = { status: "assigned", assigned_agent_id: (await here.createAgent()).id } as const;
      const assign = () => refusalToken(there.client.conversations.updateConversation({ params, body }));
      await waitUntil(async () => (await assign()) === "no refusal");
      await here.updateConversation(conversation_id, { status: "new" });
      await remove(body.assigned_agent_id, here);
      await waitUntil(
        async () => (await pool.one<{ count: number }>(DUE, [body.assigned_agent_id, ports.now()]))?.count === 0,
      );
      late = await assign();
    }
    await pool.end();
    expect(late).toBe("no refusal");
    expect(await here.getConversation(conversation_id)).toMatchObject({ status: "assigned" });
    ahead = 5_000;
    await waitUntil(async () => (await here.getConversation(conversation_id)).status === "new");
    await there.close();
    await here.close();
  });

  test("pending events of a deleted agent are delivered with the state at their commit", async () => {
    const host = await receiver(() => 503);
    const agent = await d.createAgent({ first_name: "Gone" });
    await d.admin.subscribe({ account: "acme", name: "patient", kind: "app", url: host.url });
    const { conversation_id } = await d.createConversation();
    await d.updateConversation(conversation_id, { status: "assigned", assigned_agent_id: agent.id });
    await d.createMessage(conversation_id, {
      actor_type: "agent",
      actor_id: agent.id,
      message_parts: textParts("bye"),
    });
    await host.until(({ received }) => received.length > 0);
    await remove(agent.id);
    host.replyWith(() => 200);
    await host.until(({ accepted }) => accepted.filter((event) => entityOf(event) === conversation_id).length >= 5);
    const events = host.accepted.filter((event) => entityOf(event) === conversation_id);
    expect(events.map(({ kind, data }) => [kind, data.actor.type, data.actor.id])).toEqual([
      ["conversation_create", "user", expect.any(String)],
      ["message_create", "user", expect.any(String)],
      ["conversation_update", "system", ""],
      ["message_create", "agent", agent.id],
      ["conversation_update", "system", ""],
    ]);
    expect(events[3]?.data.actor).toMatchObject({ type: "agent", id: agent.id, first_name: "Gone" });
    await host.close();
  });
});
