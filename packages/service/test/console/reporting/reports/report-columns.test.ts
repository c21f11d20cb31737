import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { campaignTest, sampleRows } from "../../../../../../test/support/campaign.ts";
import type { ReportEvent } from "@parley/contract";
import { downloadedReport, reportsHarness, MINUTE_MS, type CsvRow, type ReportsHarness } from "./reports-harness.ts";

const HEADERS: Record<ReportEvent, string> = {
  "Agent-Activity":
    "agent_id,agent_name,agent_email,from_status,to_status,availability_status,created_at,ended_at,duration_in_seconds",
  "Agent-Intelliassign-Activity":
    "agent_id,agent_name,agent_email,availability_status,created_at,ended_at,duration_in_seconds",
  "Conversation-Agent-Assigned":
    "conversation_id,interaction_id,created_at,from_agent_id,from_agent_name,agent_id,agent_name,assignor_type,assignor_id,conversation_url",
  "Conversation-Created":
    "conversation_id,interaction_id,created_at,channel_id,channel_name,group_id,group_name,agent_id,agent_name,reopened,conversation_url",
  "Conversation-Group-Assigned":
    "conversation_id,interaction_id,created_at,from_group_id,from_group_name,group_id,group_name,assignor_type,assignor_id,conversation_url",
  "Conversation-Resolution-Label":
    "conversation_id,interaction_id,resolution_label,created_at,agent_id,agent_name,group_id,group_name",
  "Conversation-Resolved": "conversation_id,interaction_id,created_at,agent_id,agent_name,group_id,group_name,reopened",
  "CSAT-Score": "csat_id,conversation_id,value,csat_response,created_at,agent_id,agent_name",
  "First-Response-Time": "conversation_id,interaction_id,agent_id,group_id,value_in_seconds,created_at",
  "Message-Sent":
    "message_id,conversation_id,conversation_url,channel_id,channel_name,customer_id,interaction_id,actor_id,actor_type,actor_email,actor_first_name,actor_last_name,message_type,detailed_message_type,message_source,created_at",
  "Resolution-Time": "conversation_id,interaction_id,agent_id,group_id,value_in_seconds,created_at",
  "Response-Time": "conversation_id,interaction_id,agent_id,group_id,value_in_seconds,created_at",
  "Chat-Transcript":
    "message_id,conversation_id,conversation_url,channel_id,channel_name,customer_id,actor_id,actor_type,actor_email,actor_first_name,actor_last_name,message_type,detailed_message_type,message_source,message_parts,message,created_time",
  "agent-performance":
    "agent_id,agent_name,agent_email,start,end,assigned_conversations,resolved_conversations,responses,first_response_time_in_seconds,response_time_in_seconds,resolution_time_in_seconds,csat_ratings,csat_average",
  classic:
    "conversation_id,interaction_id,customer_id,channel_id,channel_name,group_id,group_name,agent_id,agent_name,reopened,created_at,first_assigned_at,first_response_at,responses,resolved_at,resolution_time_in_seconds,csat_value,conversation_url",
};
const EVENTS = Object.keys(HEADERS) as ReportEvent[];
/** Reports with a row for each agent, even without events. */
const NEVER_EMPTY: readonly ReportEvent[] = ["agent-performance"];

const part = (content: string) => [{ text: { content } }];

/**
 * One conversation, in minutes: 0 started by the user, 5 assigned to the agent, 7 answered, 8 the user again, 10 answered, 15 resolved,
 * 16 rated 4, 20 reopened by the user, 25 resolved.
 */
const conversationWithTimes = async (w: ReportsHarness) => {
  const { client } = w;
  const [channel] = (await client.channels.listChannels({ query: {} })).channels;
  const [group] = (await client.groups.listGroups({ query: {} })).groups;
  const agent = await client.agents.createAgent({
    body: { email: "bo@example.com", first_name: "Bo", last_name: "Ek", groups: [group?.id ?? ""] },
  });
  const user = await client.users.createUser({
    body: { first_name: "Ana", last_name: "Silva", email: "ana@example.com" },
  });
  const started = w.now();
  const { conversation_id } = await client.conversations.createConversation({
    body: {
      channel_id: channel?.id ?? "",
      users: [{ id: user.id }],
      messages: [{ actor_type: "user", actor_id: user.id, message_parts: part('hello, "you"\nthere') }],
    },
  });
  const params = { conversation_id };
  const say = (actor_type: "user" | "agent", text: string) =>
    client.messages.createMessage({
      params,
      body: { actor_type, actor_id: actor_type === "user" ? user.id : agent.id, message_parts: part(text) },
    });
  const change = (body: object) => client.conversations.updateConversation({ params, body });
  w.advance(5 * MINUTE_MS);
  await change({ status: "assigned", assigned_group_id: group?.id, assigned_agent_id: agent.id });
  w.advance(2 * MINUTE_MS);
  await say("agent", "=1+1");
  w.advance(MINUTE_MS);
  await say("user", "-5 %, ünïcode 🙂");
  w.advance(2 * MINUTE_MS);
  await say("agent", "fine");
  w.advance(5 * MINUTE_MS);
  await change({ status: "resolved" });
  w.advance(MINUTE_MS);
  await client.csat.createCsat({
    params,
    body: { issue_resolved: true, rating: 4, additional_feedback: "quick, and kind" },
  });
  w.advance(4 * MINUTE_MS);
  await say("user", "once more");
  w.advance(5 * MINUTE_MS);
  await change({ status: "resolved" });
  w.advance(5 * MINUTE_MS);
  return { channel, group, agent, user, started, conversation_id };
};

describe("POST /reports/raw 202", () => {
  let w: ReportsHarness;
  let chat: Awaited<ReturnType<typeof conversationWithTimes>>;
  beforeAll(async () => {
    w = await reportsHarness();
    chat = await conversationWithTimes(w);
  });
  afterAll(() => w.close());

  const at = (minutes: number) => new Date(chat.started.getTime() + minutes * MINUTE_MS).toISOString();
  const ofConversation = (rows: readonly CsvRow[]) =>
    rows.filter(({ conversation_id }) => conversation_id === chat.conversation_id);

  test("docs/integrators/reports.md lists the columns of every event", () => {
    const page = readFileSync(new URL("../../../../../../docs/integrators/reports.md", import.meta.url), "utf8");
    for (const event of EVENTS)
      expect(page.replace(/\s+/g, " ")).toContain(`\`${event}\`: ${HEADERS[event].replaceAll(",", ", ")} `);
  });

  test.each(sampleRows(EVENTS, 4))("%s has its header, also without rows", async (event) => {
    const range = { start: "2026-01-01T00:00:00.000Z", end: "2026-01-01T01:00:00.000Z" };
    const { header, rows, files, report } = await downloadedReport(w, event, range);
    expect(header.join(",")).toBe(HEADERS[event]);
    expect(report.status).toBe("COMPLETED");
    expect(files).toHaveLength(1);
    if (!NEVER_EMPTY.includes(event)) {
      expect(rows).toEqual([]);
      expect(files[0]?.text).toBe(`${HEADERS[event]}\r\n`);
    }
  });

  test("Chat-Transcript has every message, unchanged", async () => {
    const { rows } = await downloadedReport(w, "Chat-Transcript");
    expect(rows.map(({ message, actor_type, created_time }) => [created_time, actor_type, message])).toEqual([
      [at(0), "user", 'hello, "you"\nthere'],
      [at(7), "agent", "'=1+1"],
      [at(8), "user", "'-5 %, ünïcode 🙂"],
      [at(10), "agent", "fine"],
      [at(15), "system", "The conversation was resolved."],
      [at(20), "system", "The conversation was reopened."],
      [at(20), "user", "once more"],
      [at(25), "system", "The conversation was resolved."],
    ]);
    const [first, second, , , system] = rows;
    const conversation = await w.client.conversations.getConversation({
      params: { conversation_id: chat.conversation_id },
    });
    expect(first).toMatchObject({
      conversation_id: chat.conversation_id,
      conversation_url: conversation.url,
      channel_id: chat.channel?.id,
      channel_name: chat.channel?.name,
      customer_id: chat.user.id,
      actor_id: chat.user.id,
      actor_email: "ana@example.com",
      actor_first_name: "Ana",
      actor_last_name: "Silva",
      message_type: "normal",
      detailed_message_type: "text",
      message_source: "api",
    });
    expect(JSON.parse(first?.["message_parts"] ?? "")).toEqual(part('hello, "you"\nthere'));
    expect(second).toMatchObject({ actor_id: chat.agent.id, actor_email: "bo@example.com", actor_first_name: "Bo" });
    expect(system).toMatchObject({ actor_email: "", actor_first_name: "", message_type: "system" });
  });

  test("Message-Sent has the same messages without their texts", async () => {
    const { rows } = await downloadedReport(w, "Message-Sent");
    expect(rows).toHaveLength(8);
    expect(rows[1]).toMatchObject({ actor_type: "agent", actor_last_name: "Ek", created_at: at(7) });
    expect(rows[0]?.["interaction_id"]).not.toBe(rows[7]?.["interaction_id"]);
    expect(JSON.stringify(rows)).not.toContain("hello");
  });

  test("Conversation-Created has each interaction by its start", async () => {
    const { rows } = await downloadedReport(w, "Conversation-Created");
    expect(rows).toMatchObject([
      {
        created_at: at(0),
        reopened: "false",
        channel_id: chat.channel?.id,
        channel_name: chat.channel?.name,
        group_id: chat.group?.id,
        group_name: chat.group?.name,
        agent_id: chat.agent.id,
        agent_name: "Bo Ek",
      },
      { created_at: at(20), reopened: "true" },
    ]);
  });

  test.each(["Conversation-Resolved", "Conversation-Resolution-Label"] as const)(
    "%s has each resolution",
    async (event) => {
      const { rows } = await downloadedReport(w, event);
      const [first, second] = ofConversation(rows);
      expect(rows).toHaveLength(2);
      expect(first).toMatchObject({ created_at: at(15), agent_name: "Bo Ek", group_name: chat.group?.name });
      expect(second).toMatchObject({ created_at: at(25), agent_name: "", agent_id: "" });
      if (event === "Conversation-Resolved")
        expect([first?.["reopened"], second?.["reopened"]]).toEqual(["false", "true"]);
      else expect(first?.["resolution_label"]).toBe("");
    },
  );

  campaignTest("CSAT-Score has each rating", async () => {
    const { rows } = await downloadedReport(w, "CSAT-Score");
    expect(rows).toMatchObject([
      {
        conversation_id: chat.conversation_id,
        value: "4",
        csat_response: "quick, and kind",
        created_at: at(16),
        agent_id: chat.agent.id,
        agent_name: "Bo Ek",
      },
    ]);
    expect(rows[0]?.["csat_id"]).toMatch(/^\d+$/);
  });

  test("First-Response-Time, Response-Time and Resolution-Time are in seconds", async () => {
    const values = async (event: ReportEvent) =>
      (await downloadedReport(w, event)).rows.map(({ value_in_seconds, created_at }) => [value_in_seconds, created_at]);
    expect(await values("First-Response-Time")).toEqual([["420", at(7)]]);
    expect(await values("Response-Time")).toEqual([
      ["420", at(7)],
      ["120", at(10)],
    ]);
    expect(await values("Resolution-Time")).toEqual([
      ["900", at(15)],
      ["300", at(25)],
    ]);
  });

  test("Conversation-Agent-Assigned and Conversation-Group-Assigned have each change", async () => {
    const agents = await downloadedReport(w, "Conversation-Agent-Assigned");
    expect(agents.rows).toMatchObject([
      { created_at: at(5), from_agent_id: "", agent_id: chat.agent.id, agent_name: "Bo Ek" },
      { created_at: at(20), from_agent_id: chat.agent.id, from_agent_name: "Bo Ek", agent_id: "" },
    ]);
    const groups = await downloadedReport(w, "Conversation-Group-Assigned");
    expect(groups.rows[0]).toMatchObject({ created_at: at(5), from_group_id: "", group_name: chat.group?.name });
  });

  campaignTest("agent-performance has the sums of each agent", async () => {
    const { rows, report } = await downloadedReport(w, "agent-performance", { start: "2026-02-10T00:00:00.000Z" });
    expect(report.links).toHaveLength(1);
    const { agents } = await w.client.agents.listAgents({ query: { items_per_page: 100 } });
    expect(new Set(rows.map(({ agent_id }) => agent_id))).toEqual(new Set(agents.map(({ id }) => id)));
    expect(rows.find(({ agent_id }) => agent_id === chat.agent.id)).toMatchObject({
      agent_email: "bo@example.com",
      assigned_conversations: "1",
      resolved_conversations: "1",
      responses: "2",
      first_response_time_in_seconds: "420",
      response_time_in_seconds: "270",
      resolution_time_in_seconds: "900",
      csat_ratings: "1",
      csat_average: "4",
    });
  });

  campaignTest("classic has each interaction with its outcome", async () => {
    const { rows } = await downloadedReport(w, "classic");
    expect(rows).toMatchObject([
      {
        customer_id: chat.user.id,
        created_at: at(0),
        first_assigned_at: at(5),
        first_response_at: at(7),
        responses: "2",
        resolved_at: at(15),
        resolution_time_in_seconds: "900",
        csat_value: "4",
        reopened: "false",
      },
      { created_at: at(20), first_response_at: "", responses: "0", csat_value: "", reopened: "true" },
    ]);
  });

  test("Agent-Activity and Agent-Intelliassign-Activity have each change with its duration", async () => {
    const { states } = await w.client.agents.listAgentStatuses();
    const agent = await w.client.agents.createAgent({ body: { email: "cy@example.com", first_name: "Cy" } });
    const set = (status: (typeof states)[number]) =>
      w.client.agents.updateAgentStatus({ params: { agent_id: agent.id }, body: { agent_status: status } });
    const seen: string[] = [agent.availability_status];
    for (const status of states) {
      w.advance(MINUTE_MS);
      seen.push((await set(status)).availability_status);
    }
    w.advance(MINUTE_MS);
    const own = async (event: ReportEvent) =>
      (await downloadedReport(w, event)).rows.filter(({ agent_id }) => agent_id === agent.id);
    const changes = await own("Agent-Activity");
    expect(changes.length).toBeGreaterThan(1);
    expect(changes[0]).toMatchObject({ agent_name: "Cy", agent_email: "cy@example.com", from_status: "" });
    for (const [index, change] of changes.entries()) {
      const next = changes[index + 1];
      expect(change["ended_at"]).toBe(next?.["created_at"] ?? "");
      if (next) expect(next["from_status"]).toBe(change["to_status"]);
    }
    const turns = await own("Agent-Intelliassign-Activity");
    const expected = seen.filter((value, index) => value !== seen[index - 1]);
    expect(turns.map(({ availability_status }) => availability_status)).toEqual(expected);
    expect(turns.length).toBeGreaterThan(1);
    expect(turns[0]?.["duration_in_seconds"]).toMatch(/^\d+$/);
    expect(turns.at(-1)?.["ended_at"]).toBe("");
  });
});
