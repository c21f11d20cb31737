import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ServiceEvent } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { demoDatabase, serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import { entityOf, ofKind, receiver, messageTextOf, type FakeSubscriber } from "../dispatch/fake-subscriber.ts";
import { firstChannelId, conversationFixture } from "../../messaging/conversations/conversation-fixture.ts";

const RENAME = statement(
  "",
  `with renamed as (
     update groups set name = 'Renamed', body = jsonb_set(body::jsonb, '{name}', '"Renamed"')::text where id = $1
   )
   update channels set name = 'Renamed', body = jsonb_set(body::jsonb, '{name}', '"Renamed"')::text where id = $2`,
);

let w: ServiceHarness;
let host: FakeSubscriber;
let channel: string;
/** Starts the host, which is unreachable at first: events are delivered after all changes. */
let back: () => Promise<FakeSubscriber>;
beforeAll(async () => {
  w = await serviceHarness();
  channel = await firstChannelId(w);
  const away = await receiver();
  await away.close();
  await w.admin.subscribe({ account: "acme", name: "state", kind: "app", url: away.url });
  back = async () => (host ??= await receiver(undefined, away.port));
});
afterAll(async () => {
  await w.close();
  await host.close();
});

const about = (entity: string) => host.accepted.filter((event) => entityOf(event) === entity);
const eventsOf = async (entity: string, count: number): Promise<ServiceEvent[]> => {
  await back();
  await host.until(() => about(entity).length >= count);
  return about(entity);
};

describe("an event contains the state at its commit, however late it is delivered", () => {
  test("of the user and the conversation", async () => {
    const { client } = w;
    const { userId: user_id, conversationId: conversation_id, sendMessage } = await conversationFixture(w, channel);
    await client.users.updateUser({ params: { user_id }, body: { first_name: "Bea", phone: "+34600000000" } });
    await sendMessage("under another name");
    await client.conversations.updateConversation({
      params: { conversation_id },
      body: { status: "resolved", properties: { priority: "High" } },
    });
    await client.users.updateUser({ params: { user_id }, body: { first_name: "Cleo" } });

    const events = await eventsOf(conversation_id, 5);
    const seen = events.map(({ kind, data }) => {
      const eventEntity = data.message ?? data.conversation;
      return [kind, data.associations.user?.first_name, eventEntity?.status, eventEntity?.properties?.["priority"]];
    });
    expect(seen).toEqual([
      ["conversation_create", "Ana", "new", "Low"],
      ["message_create", "Ana", "new", "Low"],
      ["message_create", "Bea", "new", "Low"],
      ["conversation_update", "Bea", "resolved", "High"],
      ["message_create", "Bea", "resolved", "High"],
    ]);
    const users = await eventsOf(user_id, 3);
    expect(users.map(({ data }) => data.user?.first_name)).toEqual(["Ana", "Bea", "Cleo"]);
  });

  test("of agent, group and channel, even if the conversation has another agent and the first one is deleted", async () => {
    const { client } = w;
    const { conversationId: conversation_id } = await conversationFixture(w, channel);
    const { groups } = await client.groups.listGroups({ query: {} });
    const agent = await client.agents.createAgent({
      body: { email: "at-commit@example.com", first_name: "Then", role_id: "AGENT", groups: [groups[0]?.id ?? ""] },
    });
    await client.conversations.updateConversation({
      params: { conversation_id },
      body: { status: "assigned", assigned_agent_id: agent.id, assigned_group_id: groups[0]?.id },
    });
    const say = (content: string) =>
      client.messages.createMessage({
        params: { conversation_id },
        body: { actor_type: "agent", actor_id: agent.id, message_parts: [{ text: { content } }] },
      });
    await say("as Then");
    await client.agents.updateAgent({
      params: { agent_id: agent.id },
      body: { first_name: "Now", email: agent.email },
    });
    await say("as Now");
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    await pool.rows(RENAME, [groups[0]?.id, channel]);
    await pool.end();
    await say("elsewhere");
    await client.agents.deleteAgent({ params: { agent_id: agent.id } });
    const events = (await eventsOf(conversation_id, 6)).slice(2, 6);
    const seen = events.map(({ data: { actor, associations } }) => [
      associations.agent?.first_name,
      actor.first_name,
      associations.group?.name,
      associations.channel?.name,
    ]);
    const names = [groups[0]?.name, expect.not.stringMatching("Renamed")];
    expect(seen).toEqual([
      ["Then", undefined, ...names],
      ["Then", "Then", ...names],
      ["Now", "Now", ...names],
      ["Now", "Now", "Renamed", "Renamed"],
    ]);
  });

  test("but nothing about a user who was deleted in the meantime", async () => {
    // An attempt that has begun sends what it has read: this service begins none.
    const database = await demoDatabase();
    const gone = await serviceHarness({ database, isDispatchDisabled: true });
    const late = await receiver();
    await gone.admin.subscribe({ account: "acme", name: "gone", kind: "app", url: late.url });
    const {
      userId: user_id,
      conversationId,
      sendMessage,
    } = await conversationFixture(gone, await firstChannelId(gone), "my name is Ana");
    await gone.client.users.updateUser({ params: { user_id }, body: { email: "ana@example.com" } });
    await sendMessage("write to ana@example.com");
    await gone.client.users.deleteUser({ params: { user_id } });
    await gone.close();
    const next = await serviceHarness({ database });
    await late.until(({ accepted }) => accepted.length >= 5);
    expect(late.received.map(({ body }) => body).join()).not.toMatch(/ana/i);
    expect(late.accepted.filter((event) => entityOf(event) === conversationId).map(messageTextOf)).toEqual([
      undefined,
      "",
      "",
    ]);
    await next.close();
    await late.close();
    await database.close();
  });
});

describe("an event describes", () => {
  test("a new conversation with its first messages, followed by an event for each of them", async () => {
    const { client } = w;
    const user = await client.users.createUser({ body: { first_name: "Dora", email: "dora@example.com" } });
    const part = (content: string) => [{ text: { content } }];
    const { conversation_id } = await client.conversations.createConversation({
      body: {
        channel_id: channel,
        users: [{ id: user.id }],
        messages: [
          { actor_type: "user", actor_id: user.id, message_parts: part("one") },
          { actor_type: "bot", message_parts: part("two") },
        ],
      },
    });
    const [created, first, second] = await eventsOf(conversation_id, 3);
    const { messages = [], ...conversation } = created?.data.conversation ?? {};
    expect(conversation).toMatchObject(await client.conversations.getConversation({ params: { conversation_id } }));
    expect(messages.map(({ message_parts }) => message_parts)).toEqual([part("one"), part("two")]);
    expect(created).toMatchObject({
      kind: "conversation_create",
      account: "acme",
      domain: "acme.parley.localhost",
      region: "US",
      version: "1.0.0",
      timestamp: Date.parse(created?.data.conversation?.created_time ?? ""),
      data: {
        actor: { type: "user", id: user.id, first_name: "Dora", email: "dora@example.com" },
        associations: { channel: { id: channel }, user: { id: user.id, first_name: "Dora" } },
      },
    });
    expect(first?.data.message).toMatchObject({ conversation_id, messages: [messages[0]] });
    expect(second?.data).toMatchObject({
      actor: { type: "bot", id: "" },
      message: { conversation_id, messages: [messages[1]] },
    });
    expect(first?.data.message?.messages).toHaveLength(1);
  });

  test("an assignment with the actor, the assignee and the previous assignee", async () => {
    const { client } = w;
    const { conversationId: conversation_id } = await conversationFixture(w, channel);
    const { agents } = await client.agents.listAgents({ query: { is_deactivated: false } });
    const agent = agents.find(({ groups }) => groups.length > 0);
    await client.conversations.updateConversation({
      params: { conversation_id },
      body: { status: "assigned", assigned_agent_id: agent?.id, assigned_group_id: agent?.groups[0] },
    });
    await client.messages.createMessage({
      params: { conversation_id },
      body: { actor_type: "agent", actor_id: agent?.id, message_parts: [{ text: { content: "hello" } }] },
    });
    const events = await eventsOf(conversation_id, 4);
    const [update] = ofKind(events, "conversation_update");
    expect(update?.data).toMatchObject({
      actor: { type: "system", sub_type: "api", id: "" },
      associations: { agent: { id: agent?.id, email: agent?.email }, group: { id: agent?.groups[0] } },
      conversation: { status: "assigned", assigned_agent_id: agent?.id, assigned_group_id: agent?.groups[0] },
      changes: {
        model_changes: {
          status: ["new", "assigned"],
          assigned_agent_id: [null, agent?.id],
          assigned_group_id: [null, agent?.groups[0]],
        },
      },
    });
    expect(update?.data.conversation?.messages).toBeUndefined();
    expect(events.at(-1)?.data.actor).toMatchObject({
      type: "agent",
      id: agent?.id,
      first_name: agent?.first_name,
      email: agent?.email,
    });
  });

  test("a user and the changes to the user, without the id that restores conversations", async () => {
    const { client } = w;
    const user = await client.users.createUser({ body: { first_name: "Eva" } });
    await client.users.updateUser({ params: { user_id: user.id }, body: { first_name: "Eva", last_name: "Ruiz" } });
    const [created, updated] = await eventsOf(user.id, 2);
    const { restore_id, ...eventEntity } = user;
    expect(created?.data).toEqual({
      actor: { type: "system", sub_type: "api", id: "" },
      associations: {},
      user: eventEntity,
    });
    expect(updated?.data).toMatchObject({
      user: { id: user.id, last_name: "Ruiz" },
      changes: { model_changes: { last_name: [null, "Ruiz"] } },
    });
    expect(host.received.map(({ body }) => body).join()).not.toContain(restore_id);
  });
});
