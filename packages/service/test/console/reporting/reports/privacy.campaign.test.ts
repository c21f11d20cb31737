import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { sampleRows } from "../../../../../../test/support/campaign.ts";
import { REPORT_EVENTS } from "@parley/contract";
import { firstChannelId } from "../../../messaging/conversations/conversation-fixture.ts";
import { MINUTE_MS, downloadedReport, reportsHarness, type ReportsHarness } from "./reports-harness.ts";

/** Texts that occur nowhere else. */
const OF_USER = {
  first_name: "canaryfirst",
  last_name: "canarylast",
  email: "canary@mail.example",
  phone: "+12025550123",
};
const OF_AGENT = { first_name: "parrotfirst", last_name: "parrotlast", email: "parrot@mail.example" };
const MESSAGE_WORD = "canarysaid";
const FEEDBACK = "canaryfeedback";
const ALL = [...Object.values(OF_USER), ...Object.values(OF_AGENT), MESSAGE_WORD, FEEDBACK, "parrotsaid"];

describe("personal data in a raw report", () => {
  let w: ReportsHarness;
  let user: { id: string };
  let agent: { id: string };
  beforeAll(async () => {
    w = await reportsHarness();
    const { client } = w;
    user = await client.users.createUser({ body: OF_USER });
    const group = (await client.groups.listGroups({ query: {} })).groups[0]?.id ?? "";
    agent = await client.agents.createAgent({ body: { ...OF_AGENT, groups: [group] } });
    const speak = (actor_type: "user" | "agent", content: string) => ({
      actor_type,
      actor_id: actor_type === "user" ? user.id : agent.id,
      message_parts: [{ text: { content } }, { image: { url: `https://files.example/${content}.png` } }],
    });
    const { conversation_id } = await client.conversations.createConversation({
      body: { channel_id: await firstChannelId(w), users: [{ id: user.id }], messages: [speak("user", MESSAGE_WORD)] },
    });
    const params = { conversation_id };
    w.advance(MINUTE_MS);
    await client.conversations.updateConversation({
      params,
      body: { status: "assigned", assigned_agent_id: agent.id, assigned_group_id: group },
    });
    await client.messages.createMessage({ params, body: speak("agent", "parrotsaid") });
    w.advance(MINUTE_MS);
    await client.conversations.updateConversation({ params, body: { status: "resolved" } });
    await client.csat.createCsat({
      params,
      body: { issue_resolved: true, rating: 5, additional_feedback: FEEDBACK },
    });
    w.advance(MINUTE_MS);
  });
  afterAll(() => w.close());

  const textOf = async (event: (typeof REPORT_EVENTS)[number], should_exclude_pii: boolean) => {
    const { files } = await downloadedReport(w, event, { should_exclude_pii });
    return files.map(({ text }) => text).join("");
  };
  const wordsIn = (text: string) => ALL.filter((word) => text.includes(word));

  test.each(sampleRows(REPORT_EVENTS, 3))("%s omits it on request, and keeps the columns", async (event) => {
    const [whole, without] = await Promise.all([textOf(event, false), textOf(event, true)]);
    expect(wordsIn(without)).toEqual([]);
    expect(without.split("\r\n")[0]).toBe(whole.split("\r\n")[0]);
    expect(without.split("\r\n").length).toBeGreaterThan(2);
    // Ids alone are not personal data.
    const ids = [user.id, agent.id].filter((id) => whole.includes(id));
    expect(ids.filter((id) => without.includes(id))).toEqual(ids);
  });

  test("is included by default", async () => {
    const transcript = wordsIn(await textOf("Chat-Transcript", false));
    const { phone: _inNoColumn, ...named } = OF_USER;
    expect(transcript).toEqual(
      expect.arrayContaining([...Object.values(named), MESSAGE_WORD, "parrotsaid", "parrotfirst"]),
    );
    expect(wordsIn(await textOf("CSAT-Score", false))).toContain(FEEDBACK);
  });

  test("of a deleted user and a deleted agent is not in a later report", async () => {
    await w.client.users.deleteUser({ params: { user_id: user.id } });
    await w.client.agents.deleteAgent({ params: { agent_id: agent.id } });
    for (const event of REPORT_EVENTS)
      expect([event, wordsIn(await textOf(event, false))]).toEqual([
        event,
        event === "Chat-Transcript" ? ["parrotsaid"] : [],
      ]);
    const { rows } = await downloadedReport(w, "Chat-Transcript");
    const own = rows.find(({ actor_id }) => actor_id === user.id);
    expect(own).toMatchObject({ actor_type: "user", message: "", actor_email: "", actor_first_name: "" });
    const agents = rows.find(({ actor_id }) => actor_id === agent.id);
    expect(agents).toMatchObject({ actor_type: "agent", actor_email: "", message: "parrotsaid" });
  });
});
