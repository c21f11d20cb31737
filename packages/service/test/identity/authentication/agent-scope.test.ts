import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AgentRole, AgentScope, Conversation } from "@parley/contract";
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

describe("an agent's session adds messages of its own agent only", () => {
  const send = ({ session, own }: SignedInAgent, message: object) =>
    s.page<{ actor_id?: string }>("POST", `/v2/conversations/${own.conversation_id}/messages`, {
      session,
      body: { message_parts: [{ text: { content: "Hello" } }], ...message },
    });

  test("POST /conversations/{conversation_id}/messages 200 as the own agent", async () => {
    const own = agent("AGENT", "Me");
    const { code, body } = await send(own, { actor_type: "agent", actor_id: own.id.toUpperCase() });
    expect([code, body.actor_id]).toEqual([200, own.id]);
  });

  test.each([
    ["another agent", () => ({ actor_type: "agent", actor_id: agent("ADMIN").id })],
    ["no agent", () => ({ actor_type: "agent" })],
    ["the customer", () => ({ actor_type: "user", actor_id: agent("AGENT", "Me").own.user_id })],
    ["a bot", () => ({ actor_type: "bot" })],
    ["the system", () => ({ actor_type: "system" })],
  ])("POST /conversations/{conversation_id}/messages FORBIDDEN as %s", async (_, message) => {
    for (const sender of [agent("AGENT", "Me"), agent("ACCOUNT_ADMIN")]) {
      const { code, body } = await send(sender, message());
      expect([code, body.status]).toEqual([403, "FORBIDDEN"]);
    }
  });

  test("POST /conversations 202 and FORBIDDEN: the same holds for the first messages", async () => {
    const own = agent("AGENT", "Group");
    const { channels } = await s.client.channels.listChannels();
    const create = (message: object) =>
      s.page<Conversation>("POST", "/v2/conversations", {
        session: own.session,
        body: {
          channel_id: channels[0]?.id,
          users: [{ id: own.own.user_id }],
          messages: [{ message_parts: [{ text: { content: "Hello" } }], ...message }],
        },
      });
    expect((await create({ actor_type: "agent", actor_id: own.id })).code).toBe(202);
    const refused = await create({ actor_type: "agent", actor_id: agent("ADMIN").id });
    expect([refused.code, refused.body.status]).toEqual([403, "FORBIDDEN"]);
    expect(refused.body.message).toMatch(/^messages\[0\]/);
  });
});

test("a repeated request of a session with the same idempotency key is done once, and its key is the session's own", async () => {
  const [first, second] = [agent("AGENT", "Group"), agent("SUPER_USER", "Group")];
  const create = async ({ session }: SignedInAgent) =>
    (
      await s.page<{ id: string }>("POST", "/v2/users", {
        session,
        body: { first_name: "Once" },
        headers: { "idempotency-key": "agent-scope-1" },
      })
    ).body.id;
  const id = await create(first);
  expect(id).toBeTruthy();
  expect(await create(first)).toBe(id);
  expect(await create(second)).not.toBe(id);
});

test("an update of a conversation by a session is attributed to its agent", async () => {
  const own = agent("AGENT", "Me");
  const stream = new AbortController();
  const path = `${s.url}/v2/stream?types=conversation_update&conversation_id=${own.own.conversation_id}`;
  const reply = await fetch(path, { headers: { authorization: `Bearer ${s.token}` }, signal: stream.signal });
  const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
  const updated = await s.page("PUT", `/v2/conversations/${own.own.conversation_id}`, {
    session: own.session,
    body: { status: "resolved" },
  });
  expect(updated.code).toBe(200);
  let text = "";
  while (!text.includes("conversation_update")) text += (await reader?.read())?.value ?? "";
  stream.abort();
  expect(text).toContain(`"actor":{"type":"agent","id":"${own.id}"`);
  await s.client.conversations.updateConversation({
    params: { conversation_id: own.own.conversation_id },
    body: { status: "assigned", assigned_agent_id: own.id },
  });
});

describe("customers outside of an agent's scope", () => {
  test.each([
    ["None", []],
    ["Me", ["own"]],
    ["Group", ["own", "inGroup"]],
    ["Global", ["own", "inGroup", "elsewhere", "unassigned"]],
  ] as const)("POST /users/fetch returns those within the scope %s", async (scope, expected) => {
    const { session, own } = agent("AGENT", scope);
    const places = { own, inGroup: fixture.inGroup, elsewhere: fixture.elsewhere, unassigned: fixture.unassigned };
    const ids = Object.values(places).map(({ user_id }) => user_id);
    const { code, body } = await s.page<{ users?: { id: string }[] }>("POST", "/v2/users/fetch", {
      session,
      body: { ids },
    });
    const found = (body.users ?? []).map(({ id }) => id).sort();
    expect([code, found]).toEqual([scope === "None" ? 403 : 200, expected.map((name) => places[name].user_id).sort()]);
  });

  test("GET /users/{user_id}/conversations lists the conversations within the scope only", async () => {
    const { session, own } = agent("AGENT", "Group");
    const { channels } = await s.client.channels.listChannels();
    const message = {
      actor_type: "user" as const,
      actor_id: own.user_id,
      message_parts: [{ text: { content: "Something else" } }],
    };
    const other = await s.client.conversations.createConversation({
      body: { channel_id: channels[1]?.id ?? "", messages: [message], users: [{ id: own.user_id }] },
    });
    const path = `/users/${own.user_id}/conversations`;
    const { body } = await s.page<{ conversations: { id: string }[] }>("GET", `/v2${path}`, { session });
    const all = await s.client.users.listUserConversations({ params: { user_id: own.user_id } });
    expect(all.conversations.map(({ id }) => id)).toContain(other.conversation_id);
    expect(body.conversations.map(({ id }) => id)).not.toContain(other.conversation_id);
    expect(body.conversations.map(({ id }) => id)).toContain(own.conversation_id);
  });

  test("a conversation is found by its number within the scope only", async () => {
    const { session } = agent("AGENT", "Group");
    const numberOf = async (conversation_id: string) =>
      (await s.client.messages.listMessages({ params: { conversation_id } })).messages[0]?.freshchat_conversation_id;
    const at = async (conversation_id: string) =>
      (await s.page("GET", `/v2/conversations/${await numberOf(conversation_id)}`, { session })).code;
    expect([await at(fixture.inGroup.conversation_id), await at(fixture.elsewhere.conversation_id)]).toEqual([
      200, 404,
    ]);
  });

  test("a refusal for a conversation outside of the scope equals that for an unknown one", async () => {
    const { session } = agent("AGENT", "Group");
    const at = async (id: string) => (await s.page("GET", `/v2/conversations/${id}`, { session })).body;
    expect(await at(fixture.elsewhere.conversation_id)).toEqual(await at("3d6f3f7e-0000-4000-8000-000000000000"));
  });
});

describe("the event stream of a session", () => {
  /** Reads the conversations of the events that a session receives until that of the last change. */
  const heard = async (listener: SignedInAgent, changes: () => Promise<readonly string[]>) => {
    const stop = new AbortController();
    const reply = await fetch(`${s.url}/v2/stream`, {
      headers: { cookie: listener.session.cookie, "X-Session-Token": listener.session.token },
      signal: stop.signal,
    });
    expect(reply.status).toBe(200);
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader?.read())?.value ?? "";
    const ids = await changes();
    const last = ids.at(-1) ?? "";
    while (!text.includes(last)) text += (await reader?.read())?.value ?? "";
    stop.abort();
    return ids.map((id) => text.includes(id));
  };
  const say = (conversation_id: string) =>
    s.client.messages.createMessage({
      params: { conversation_id },
      body: { actor_type: "bot", message_parts: [{ text: { content: "Hello" } }] },
    });

  test("contains the events of the conversations within the scope only", async () => {
    const listener = agent("AGENT", "Group");
    const ids = [
      fixture.elsewhere.conversation_id,
      fixture.unassigned.conversation_id,
      fixture.inGroup.conversation_id,
      listener.own.conversation_id,
    ];
    const received = await heard(listener, async () => {
      for (const id of ids) await say(id);
      return ids;
    });
    expect(received).toEqual([false, false, true, true]);
  });

  test("tells an agent that a conversation was assigned elsewhere, and nothing that follows", async () => {
    const listener = agent("AGENT", "Me");
    const taken = agent("SUPER_USER", "Me");
    const { conversation_id } = taken.own;
    const assign = (assigned_agent_id: string) =>
      s.client.conversations.updateConversation({
        params: { conversation_id },
        body: { status: "assigned", assigned_agent_id },
      });
    await assign(listener.id);
    let after = "";
    const received = await heard(listener, async () => {
      await assign(taken.id);
      after = (await say(conversation_id)).id;
      await say(listener.own.conversation_id);
      return [conversation_id, after, listener.own.conversation_id];
    });
    expect(received).toEqual([true, false, true]);
  });

  test("ends within seconds when the scope of the agent changes, so that the next one has the new scope", async () => {
    const listener = agent("AGENT", "Global");
    const reply = await fetch(`${s.url}/v2/stream`, {
      headers: { cookie: listener.session.cookie, "X-Session-Token": listener.session.token },
    });
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    await reader?.read();
    const path = `/admin/accounts/acme/agents/${listener.id}`;
    await s.adminRequest("PUT", path, { scope: "Me" });
    while (!(await reader?.read())?.done);
    await s.adminRequest("PUT", path, { scope: "Global" });
  });
});
