import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { AccessToken, Agent, Conversation } from "@parley/contract";
import { createSessionWorld, type SessionWorld, type SignedInAgent } from "../matrix/session-world.ts";
import { sessionHarness, type SessionHarness } from "./session-harness.ts";

let s: SessionHarness;
let world: SessionWorld;
beforeAll(async () => {
  s = await sessionHarness();
  world = await createSessionWorld(s);
}, 60_000);
afterAll(() => s.close());

const agent = (role: SignedInAgent["role"], scope: SignedInAgent["scope"] = "Global"): SignedInAgent =>
  world.agents.find((each) => each.role === role && each.scope === scope) as SignedInAgent;

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
    const places = { own, inGroup: world.inGroup, elsewhere: world.elsewhere, unassigned: world.unassigned };
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
    expect([await at(world.inGroup.conversation_id), await at(world.elsewhere.conversation_id)]).toEqual([200, 404]);
  });

  test("a refusal for a conversation outside of the scope equals that for an unknown one", async () => {
    const { session } = agent("AGENT", "Group");
    const at = async (id: string) => (await s.page("GET", `/v2/conversations/${id}`, { session })).body;
    expect(await at(world.elsewhere.conversation_id)).toEqual(await at("3d6f3f7e-0000-4000-8000-000000000000"));
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
      world.elsewhere.conversation_id,
      world.unassigned.conversation_id,
      world.inGroup.conversation_id,
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
  }, 15_000);
});

describe("what agents may change of agents", () => {
  const put = (by: SignedInAgent, id: string, body: object) =>
    s.page<Agent>("PUT", `/v2/agents/${id}`, { session: by.session, body });

  test("PUT /agents/{agent_id} 200 for the own profile", async () => {
    const own = agent("AGENT");
    const { code, body } = await put(own, own.id, {
      first_name: "Ada",
      biography: "Support",
      timezone: "Europe/Paris",
    });
    expect([code, body.first_name, body.biography]).toEqual([200, "Ada", "Support"]);
  });

  test.each([
    ["role_id", "ACCOUNT_ADMIN"],
    ["role_name", "Account admin"],
    ["groups", []],
    ["email", "other@acme.example"],
    ["license_type", "occasional"],
  ])("PUT /agents/{agent_id} FORBIDDEN for the own %s", async (name, value) => {
    for (const own of [agent("AGENT"), agent("SUPER_USER")]) {
      const { code, body } = await put(own, own.id, { [name]: value });
      expect([code, body.status]).toEqual([403, "FORBIDDEN"]);
    }
  });

  test("an admin can neither change an account admin nor make one", async () => {
    const by = agent("ADMIN");
    const higher = agent("ACCOUNT_ADMIN", "Group");
    const { session } = by;
    const outcomes = [
      await put(by, higher.id, { first_name: "Mallory" }),
      await put(by, higher.id, { email: "mallory@acme.example" }),
      await put(by, agent("AGENT", "Me").id, { role_id: "ACCOUNT_ADMIN" }),
      await s.page("POST", "/v2/agents", { session, body: { email: "new@acme.example", role_id: "ACCOUNT_ADMIN" } }),
      await s.page("DELETE", `/v2/agents/${higher.id}`, { session }),
      await s.page("PATCH", `/v2/agents/${higher.id}`, { session, body: { agent_status: { name: "Away" } } }),
      await s.page("PUT", `/admin/accounts/acme/agents/${higher.id}`, { session, body: { is_deactivated: true } }),
      await s.page("POST", `/admin/accounts/acme/agents/${higher.id}/invitation`, { session }),
      await s.page("POST", `/admin/accounts/acme/agents/${higher.id}/password-reset`, { session }),
      await s.page("GET", `/admin/accounts/acme/agents/${higher.id}/sessions`, { session }),
      await s.page("DELETE", `/admin/accounts/acme/agents/${higher.id}/sessions`, { session }),
      await s.page("DELETE", `/admin/accounts/acme/agents/${higher.id}/second-factor`, { session }),
    ].map(({ code, body }) => `${code} ${body.status}`);
    expect([...new Set(outcomes)]).toEqual(["403 FORBIDDEN"]);
    expect((await s.client.agents.getAgent({ params: { agent_id: higher.id } })).email).toBe(higher.email);
  });

  test("an admin can change and make agents up to its own role", async () => {
    const by = agent("ADMIN");
    const { session } = by;
    const made = await s.page<Agent>("POST", "/v2/agents", {
      session,
      body: { email: "made@acme.example", role_id: "ADMIN" },
    });
    expect(made.code).toBe(201);
    expect((await put(by, made.body.id, { role_id: "AGENT" })).code).toBe(200);
    expect((await s.page("DELETE", `/v2/agents/${made.body.id}`, { session })).code).toBe(202);
  });

  test("a session can't delete, deactivate or demote its own agent", async () => {
    const by = agent("ACCOUNT_ADMIN");
    const { session, id } = by;
    const path = `/admin/accounts/acme/agents/${id}`;
    const outcomes = [
      await s.page("DELETE", `/v2/agents/${id}`, { session }),
      await put(by, id, { role_id: "AGENT" }),
      await s.page("PUT", path, { session, body: { is_deactivated: true } }),
      await s.page("PUT", path, { session, body: { scope: "None" } }),
    ].map(({ code, body }) => `${code} ${body.status}`);
    expect([...new Set(outcomes)]).toEqual(["403 FORBIDDEN"]);
  });
});

describe("administration by a session", () => {
  test("POST /admin/accounts/{account}/tokens 201, DELETE /admin/tokens/{token_id} 200: a token made by an account admin works until it is revoked", async () => {
    const { session } = agent("ACCOUNT_ADMIN");
    const made = await s.page<{ id: string; token: string }>("POST", "/admin/accounts/acme/tokens", {
      session,
      body: { name: "made in the console", permissions: ["group:read"] },
    });
    expect(made.code).toBe(201);
    const use = async () =>
      (await s.raw("GET", "/v2/groups", { headers: { authorization: `Bearer ${made.body.token}` } })).status;
    expect(await use()).toBe(200);
    expect((await s.page("DELETE", `/admin/tokens/${made.body.id}`, { session })).code).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 950));
    expect(await use()).toBe(401);
  });

  test("DELETE /admin/tokens/{token_id} TOKEN_NOT_FOUND for a token of another account, which stays valid", async () => {
    const { body } = await s.adminRequest<{ tokens: AccessToken[] }>("GET", "/admin/accounts/solo/tokens");
    const id = body.tokens[0]?.id ?? "";
    const reply = await s.page("DELETE", `/admin/tokens/${id}`, { session: agent("ACCOUNT_ADMIN").session });
    expect([reply.code, reply.body.status]).toEqual([404, "TOKEN_NOT_FOUND"]);
    expect((await s.solo.groups.listGroups()).groups.length).toBeGreaterThan(0);
  });

  test("PUT /admin/accounts/{account} 200 for settings, FORBIDDEN for what the operator decides about", async () => {
    const { session } = agent("ADMIN");
    const put = (document: object, query = "") =>
      s.page("PUT", `/admin/accounts/acme${query}`, { session, body: { name: "acme", ...document } });
    expect((await put({ groups: [{ name: "Night shift" }] })).code).toBe(200);
    for (const document of [
      { plan_type: "Free" },
      { calls_per_hour: 1_000_000 },
      { datacenter: "AUS" },
      { bundle: { id: 0, type: "STANDALONE" } },
      { organisation: { id: 7 } },
    ]) {
      const { code, body } = await put(document);
      expect([document, code, body.status]).toEqual([document, 403, "FORBIDDEN"]);
      expect((await put(document, "?dry_run=true")).code).toBe(403);
    }
    // The exported document contains these members; applied unchanged, it is accepted.
    const exported = await s.exportDocument("acme");
    expect((await put(exported)).code).toBe(200);
  });
});
