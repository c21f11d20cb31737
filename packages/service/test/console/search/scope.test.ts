import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AGENT_ROLES, type AgentRole, type AgentScope, type SearchResults } from "@parley/contract";
import { sessionHarness, type SessionHarness } from "../../identity/authentication/session-harness.ts";
import { createSessionFixture, signedInAgent, type SessionFixture } from "../../matrix/session-fixture.ts";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { indexed, SMALL_CHUNKS } from "./search-harness.ts";

let s: SessionHarness;
let fixture: SessionFixture;
const WORD = "searchword";
type Place = "own" | "inGroup" | "elsewhere" | "unassigned";

/** Every conversation of the fixture has a message with the word. Rare small chunks and many messages: some are in chunks, some are recent. */
beforeAll(async () => {
  s = await sessionHarness({ searchRules: SMALL_CHUNKS });
  fixture = await createSessionFixture(s);
  const conversations = [
    fixture.inGroup,
    fixture.elsewhere,
    fixture.unassigned,
    ...fixture.agents.map(({ own }) => own),
  ];
  for (const { conversation_id, user_id } of conversations) {
    await s.client.messages.createMessage({
      params: { conversation_id },
      body: { actor_type: "bot", message_parts: [{ text: { content: `${WORD} for the customer` } }] },
    });
    await s.client.users.updateUser({ params: { user_id }, body: { last_name: `${WORD}er` } });
  }
  await indexed(s);
});
afterAll(() => s.close());

const search = async (role: AgentRole, scope: AgentScope, query = `q=${WORD}&limit=50`) => {
  const { code, body } = await s.page<SearchResults>("GET", `/v2/search?${query}`, {
    session: signedInAgent(fixture, role, scope).session,
  });
  return { code, body };
};

const placesOf = (role: AgentRole, scope: AgentScope, ids: readonly string[], key: "conversation_id" | "user_id") => {
  const { own } = signedInAgent(fixture, role, scope);
  const places: Record<Place, string> = {
    own: own[key],
    inGroup: fixture.inGroup[key],
    elsewhere: fixture.elsewhere[key],
    unassigned: fixture.unassigned[key],
  };
  return (Object.keys(places) as Place[]).filter((place) => ids.includes(places[place]));
};

const WITHIN: Readonly<Record<Exclude<AgentScope, "None">, readonly Place[]>> = {
  Me: ["own"],
  Group: ["own", "inGroup"],
  Global: ["own", "inGroup", "elsewhere", "unassigned"],
};

describe("GET /search and the scope of an agent's session", () => {
  for (const role of AGENT_ROLES) {
    test(`GET /search 403 FORBIDDEN for the role ${role} with the scope None`, async () => {
      expect((await search(role, "None")).code).toBe(403);
    });

    test.each(["Me", "Group", "Global"] as const)(
      `GET /search 200 for the role ${role} with the scope %s finds only what the agent reaches`,
      async (scope) => {
        const { code, body } = await search(role, scope);
        expect(code).toBe(200);
        const { messages = [], users = [], conversations = [] } = body;
        const conversationIds = messages.map(({ message }) => message.conversation_id);
        expect(placesOf(role, scope, conversationIds, "conversation_id")).toEqual(WITHIN[scope]);
        const found = conversations.map(({ conversation }) => conversation.conversation_id);
        expect(placesOf(role, scope, found, "conversation_id")).toEqual(WITHIN[scope]);
        const userIds = users.map(({ user }) => user.id);
        expect(placesOf(role, scope, userIds, "user_id")).toEqual(WITHIN[scope]);
        const count = { Me: 1, Group: 2, Global: 3 + fixture.agents.length }[scope];
        for (const ids of [conversationIds, found, userIds]) expect(new Set(ids).size).toBe(count);
      },
    );
  }

  test("GET /search 200 finds nothing in a conversation outside of the scope", async () => {
    const query = `q=${WORD}&conversation_id=${fixture.elsewhere.conversation_id}`;
    expect((await search("AGENT", "Group", query)).body).toEqual({ messages: [] });
    expect((await search("AGENT", "Global", query)).body.messages).toHaveLength(1);
  });

  test("GET /search 200 follows the assignment of a conversation, its messages and its user", async () => {
    const agent = signedInAgent(fixture, "SUPER_USER", "Me");
    const { conversation_id } = fixture.unassigned;
    const params = { conversation_id };
    const counts = async () => {
      const { body } = await search("SUPER_USER", "Me");
      return [body.messages?.length, body.users?.length, body.conversations?.length];
    };
    expect(await counts()).toEqual([1, 1, 1]);
    const assign = (assigned_agent_id: string) =>
      s.client.conversations.updateConversation({ params, body: { status: "assigned", assigned_agent_id } });
    await assign(agent.id);
    await waitUntil(async () => (await counts()).join() === "2,2,2");
    await assign(signedInAgent(fixture, "ADMIN", "Me").id);
    // What is not within the scope any more disappears at once.
    expect(await counts()).toEqual([1, 1, 1]);
    await indexed(s);
    expect(await counts()).toEqual([1, 1, 1]);
    const { body } = await search("ADMIN", "Me");
    expect([body.messages?.length, body.users?.length, body.conversations?.length]).toEqual([2, 2, 2]);
  });
});
