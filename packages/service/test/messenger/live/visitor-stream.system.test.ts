import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { STREAM_RULES } from "../../../src/events/stream/stream-rules.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { messengerHarness, type MessengerHarness } from "../messenger-harness.ts";
import { visitorStreams, writingVisitor } from "./live-fixture.ts";

let s: MessengerHarness;
beforeAll(async () => {
  s = await messengerHarness({
    streamRules: {
      ...STREAM_RULES,
      checkMs: 50,
      cachedRows: 4,
      batch: 2,
      visitorKeepAliveMs: 300,
      ofVisitors: { perProcess: 6, perToken: 2, perUser: 3, checked: 1 },
    },
  });
});
afterAll(() => s.close());
const { open, closeAll } = visitorStreams();
afterEach(closeAll);

const agentMessage = async (conversation_id: string, text: string, message_type: "normal" | "private" = "normal") => {
  const { agents } = await s.client.agents.listAgents();
  return s.client.messages.createMessage({
    params: { conversation_id },
    body: {
      actor_type: "agent",
      actor_id: agents[0]?.id ?? "",
      message_type,
      message_parts: [{ text: { content: text } }],
    },
  });
};

describe("GET /messenger/api/stream", () => {
  test("GET /messenger/api/stream 200 sends the visitor's conversations and messages, also a conversation begun later", async () => {
    const { token } = await s.visitor();
    const stream = await open(s.url, token);
    expect(stream.headers["content-type"]).toBe("text/event-stream");
    await stream.until(() => stream.items.length === 1);
    expect(stream.items[0]).toMatchObject({ event: "stream_start", data: { keep_alive_ms: 300 } });
    const { channels } = await s.client.channels.listChannels();
    const topic_id = channels.find((channel) => channel.enabled && channel.public)?.id;
    const message = { message_parts: [{ text: { content: "hello" } }] };
    const begun = await s.request<{ conversation: { id: string } }>("POST", "/conversations", {
      token,
      body: { topic_id, message },
    });
    expect(begun.code).toBe(201);
    await stream.until(() => stream.texts.includes("hello"));
    const [, conversation] = stream.items;
    expect(conversation).toMatchObject({
      event: "conversation",
      data: { conversation: { id: begun.body.conversation.id, is_latest: true } },
    });
    const { conversation_id } = await agentMessage(begun.body.conversation.id, "an answer");
    await stream.until(() => stream.texts.includes("an answer"));
    const answer = stream.items.at(-1);
    expect(answer).toMatchObject({
      event: "message",
      data: { message: { conversation_id, actor: { type: "agent" } } },
    });
    expect(JSON.stringify(answer)).not.toMatch(/last_name|email|actor_id/);
  });

  test("sends a change of the conversation, and no private notes", async () => {
    const { token, conversationId } = await writingVisitor(s);
    const stream = await open(s.url, token);
    await agentMessage(conversationId, "a secret", "private");
    await s.client.conversations.updateConversation({
      params: { conversation_id: conversationId },
      body: { status: "resolved" },
    });
    await stream.until(() =>
      stream.items.some((item) => item.event === "conversation" && item.data.conversation.status === "resolved"),
    );
    expect(stream.text()).not.toContain("a secret");
  });

  test("continues without gaps after the last item, from the memory of the process and from the log", async () => {
    const { token, write } = await writingVisitor(s);
    const stream = await open(s.url, token);
    await write("seen");
    await stream.until(() => stream.texts.includes("seen"));
    stream.disconnect();
    const missed = Array.from({ length: 9 }, (_, index) => `missed ${index}`);
    for (const text of missed) await write(text);
    const again = await open(s.url, token, stream.cursor);
    await again.until(() => again.texts.length >= missed.length);
    expect(again.texts).toEqual(missed);
    const last = again.cursor;
    again.disconnect();
    await write("one more");
    const third = await open(s.url, token, last);
    await third.until(() => third.texts.includes("one more"));
    expect(third.texts).toEqual(["one more"]);
  });

  test("begins anew with a reset after a position that is not in the log any more", async () => {
    const { token, write } = await writingVisitor(s);
    const stream = await open(s.url, token, "1-00000001");
    await stream.until(() => stream.items.some(({ event }) => event === "reset"));
    await write("after");
    await stream.until(() => stream.texts.includes("after"));
  });

  test("sends keep-alives, and nothing of other users, also when an agent takes all conversations", async () => {
    const [one, other] = [await writingVisitor(s), await writingVisitor(s)];
    const [stream, theirs] = [await open(s.url, one.token), await open(s.url, other.token)];
    const { agents } = await s.client.agents.listAgents();
    await other.write("for others");
    for (const { conversationId } of [other, one])
      await s.client.conversations.updateConversation({
        params: { conversation_id: conversationId },
        body: { status: "assigned", assigned_agent_id: agents[0]?.id ?? "" },
      });
    await theirs.until(() => theirs.texts.includes("for others"));
    await stream.until(() => stream.items.some(({ event }) => event === "conversation"));
    await stream.until(() => stream.text().includes(": still here\n"));
    expect(stream.text()).not.toContain(other.conversationId);
    expect(stream.texts).toEqual([]);
  });

  test("GET /messenger/api/stream 429 TOO_MANY_STREAMS for a session, and for all sessions of a user", async () => {
    const { token, visitor } = await s.visitor({ external_id: "several" });
    const { restore_id } = visitor;
    const restored = await s.request<{ token: string }>("POST", "/sessions/restore", {
      body: { account: "acme", external_id: "several", restore_id },
    });
    for (const each of [token, token]) expect((await open(s.url, each)).status).toBe(200);
    const third = await open(s.url, token);
    expect([third.status, third.refusal?.status]).toEqual([429, "TOO_MANY_STREAMS"]);
    expect((await open(s.url, restored.body.token)).status).toBe(200);
    const fourth = await open(s.url, restored.body.token);
    expect([fourth.status, fourth.refusal?.status]).toEqual([429, "TOO_MANY_STREAMS"]);
    // Agents and tokens have places of their own.
    await closeAll();
    await waitUntil(async () => (await open(s.url, token)).status === 200);
  });

  test("ends with the session, and with the deletion of the user", async () => {
    const [one, other, third] = [await writingVisitor(s), await writingVisitor(s), await writingVisitor(s)];
    const streams = [await open(s.url, one.token), await open(s.url, other.token), await open(s.url, third.token)];
    expect((await s.request("DELETE", "/session", { token: one.token })).code).toBe(204);
    await streams[0]?.ended;
    await s.client.users.deleteUser({ params: { user_id: other.userId } });
    await streams[1]?.ended;
    await third.write("still here");
    await streams[2]?.until(() => streams[2]?.texts.includes("still here") === true);
    s.expireCaches();
    expect((await open(s.url, one.token)).status).toBe(401);
    expect((await open(s.url, other.token)).status).toBe(401);
  });
});
