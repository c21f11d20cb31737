import { describe, expect, test } from "@jest/globals";

import { outcome, UNKNOWN_ID } from "../../console/console-harness.ts";
import { conversationHarness, textMessage } from "../conversation-harness.ts";
import { keyed, textsOf, visitorRequests } from "../visitor-requests.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const s = fileFixture(conversationHarness);
const { send, read, list, rate, begin, api, byAgent, resolve, topic, blockedVisitor } = visitorRequests(() => s);

describe("POST /messenger/api/conversations", () => {
  test("POST /messenger/api/conversations 201 begins a conversation about a topic", async () => {
    const visitor = await s.visitor("Ada");
    const { code, body } = await begin(visitor, { topic_id: topic(), message: textMessage("Hello") });
    const message = {
      id: expect.any(String),
      conversation_id: body.conversation.id,
      created_time: expect.any(String),
      actor: { type: "user" },
      message_type: "normal",
      message_parts: [{ text: { content: "Hello" } }],
    };
    expect([code, body]).toEqual([
      201,
      {
        conversation: {
          id: expect.any(String),
          topic_id: topic(),
          status: "new",
          is_latest: true,
          created_time: expect.any(String),
          unread_count: 0,
          interaction_id: expect.any(String),
          is_rated: false,
          last_message: message,
        },
        messages: [message],
      },
    ]);
    expect(await list(visitor)).toEqual([body.conversation]);
    const { user_id } = await s.client.conversations.getConversation({
      params: { conversation_id: body.conversation.id },
    });
    expect(user_id).toBe(visitor.userId);
  });

  test("the properties of a site are those of the account whose values are valid, and no others prevent the message", async () => {
    const visitor = await s.visitor("Proper");
    const properties = {
      cf_order_number: "A-17",
      cf_items: "12",
      cf_amount: "much",
      cf_products: ["Lamps", "Castles"],
      cf_unknown: "x",
      priority: "Urgent",
      "": "",
    };
    const { code, body } = await begin(visitor, { topic_id: topic(), message: textMessage("Hello"), properties });
    expect(code).toBe(201);
    const params = { conversation_id: body.conversation.id };
    expect((await s.client.conversations.getConversation({ params })).properties).toEqual({
      priority: "Low",
      cf_order_number: "A-17",
      cf_items: "12",
    });
    expect(JSON.stringify(body)).not.toContain("A-17");
  });

  test("a repeated request with the same key begins one conversation and gets the same reply", async () => {
    const visitor = await s.visitor("Twice");
    const body = { topic_id: topic(), message: textMessage("Once") };
    const replies = [await begin(visitor, body, keyed("begin-1")), await begin(visitor, body, keyed("begin-1"))];
    expect(replies.map(({ code }) => code)).toEqual([201, 201]);
    expect(replies[1]?.body).toEqual(replies[0]?.body);
    expect(await list(visitor)).toHaveLength(1);
  });

  test("POST /messenger/api/conversations 404 CHANNEL_NOT_FOUND for an unknown, malformed, disabled or private topic, but not for a private topic that pages show by a tag", async () => {
    const visitor = await s.visitor("Lost");
    const codes = [];
    for (const topic_id of [UNKNOWN_ID, "x"])
      codes.push(outcome(await begin(visitor, { topic_id, message: textMessage("Hi") })));
    const state = { enabled: true, public: true, tags: ["vip"] };
    const set = async (changes: object) => {
      await s.sql(
        `update channels c
            set enabled = n.enabled, public = n.public, body = (c.body::jsonb || $2::jsonb)::text
           from json_to_record($2) n (enabled boolean, public boolean)
          where c.id = $1`,
        [topic(1), JSON.stringify({ ...state, ...changes })],
      );
      s.expireCaches();
    };
    for (const changes of [{ enabled: false }, { public: false, tags: [] }]) {
      await set(changes);
      codes.push(outcome(await begin(visitor, { topic_id: topic(1), message: textMessage("Hi") })));
    }
    await set({ public: false });
    const tagged = await begin(await s.visitor("Page"), { topic_id: topic(1), message: textMessage("Hi") });
    await set({});
    expect(tagged.code).toBe(201);
    expect(codes).toEqual(Array(4).fill("404 CHANNEL_NOT_FOUND"));
    expect(await list(visitor)).toEqual([]);
  });

  test("POST /messenger/api/conversations 400 INVALID_MESSAGE_PARTS for parts that a visitor can't send", async () => {
    const visitor = await s.visitor("Button");
    const parts = [{ url_button: { url: "https://example.com", label: "Click" } }];
    expect(outcome(await begin(visitor, { topic_id: topic(), message: { message_parts: parts } }))).toBe(
      "400 INVALID_MESSAGE_PARTS",
    );
  });

  test("POST /messenger/api/conversations 400 INVALID_REPLY_TARGET for a reply in a new conversation", async () => {
    const visitor = await s.visitor("Early");
    const { messages } = await s.begin(visitor);
    const message = { ...textMessage("Yes"), in_reply_to: { message_id: messages[0]?.id } };
    expect(outcome(await begin(visitor, { topic_id: topic(), message }))).toBe("400 INVALID_REPLY_TARGET");
  });

  test("POST /messenger/api/conversations 410 KEPT_ANSWER_REMOVED when it is repeated right after the user was deleted", async () => {
    const visitor = await s.visitor("Removed");
    const body = { topic_id: topic(), message: textMessage("Once") };
    await begin(visitor, body, keyed("begin-removed"));
    await s.client.users.deleteUser({ params: { user_id: visitor.userId } });
    expect(outcome(await begin(visitor, body, keyed("begin-removed")))).toBe("410 KEPT_ANSWER_REMOVED");
  });

  test("POST /messenger/api/conversations 403 VISITOR_BLOCKED", async () => {
    const { visitor } = await blockedVisitor();
    expect(outcome(await begin(visitor, { topic_id: topic(), message: textMessage("Again") }))).toBe(
      "403 VISITOR_BLOCKED",
    );
  });

  test("a request of a visitor whose user was deleted a moment ago is refused as unauthenticated", async () => {
    const visitor = await s.visitor("Gone");
    await s.begin(visitor);
    await s.client.users.deleteUser({ params: { user_id: visitor.userId } });
    expect(outcome(await begin(visitor, { topic_id: topic(), message: textMessage("Still here") }))).toBe(
      "401 UNAUTHENTICATED",
    );
  });
});

describe("GET /messenger/api/conversations", () => {
  test("GET /messenger/api/conversations 200 lists the visitor's own conversations, the newest first", async () => {
    const [visitor, other] = [await s.visitor("Ben"), await s.visitor("Other")];
    const first = await s.begin(visitor, "First");
    const second = await s.begin(visitor, "Second");
    await s.begin(other, "Secret");
    const found = await list(visitor);
    expect(found.map(({ id, is_latest }) => [id, is_latest])).toEqual([
      [second.conversation.id, true],
      [first.conversation.id, false],
    ]);
  });

  test("a conversation shows who has taken it, by first name and picture only", async () => {
    const visitor = await s.visitor("Cara");
    const { conversation } = await s.begin(visitor);
    await s.client.agents.updateAgent({
      params: { agent_id: s.diego.id },
      body: { avatar: { url: "https://pictures.example/diego.png" } },
    });
    s.expireCaches();
    await s.client.conversations.updateConversation({
      params: { conversation_id: conversation.id },
      body: { status: "assigned", assigned_agent_id: s.diego.id },
    });
    const [found] = await list(visitor);
    expect([found?.status, found?.agent]).toEqual([
      "assigned",
      { type: "agent", first_name: "Diego", avatar_url: "https://pictures.example/diego.png" },
    ]);
  });

  test("the unread count has the visible messages of others after the last one that the visitor has read", async () => {
    const visitor = await s.visitor("Dora");
    const { conversation } = await s.begin(visitor);
    const { id } = await api(conversation.id, byAgent("One"));
    await api(conversation.id, byAgent("A note", { message_type: "private" }));
    await api(conversation.id, byAgent("Two"));
    await send(visitor, conversation.id);
    expect((await list(visitor)).map(({ unread_count }) => unread_count)).toEqual([2]);
    await s.sql(
      `insert into conversation_reads (conversation_id, account_id, visitor_message_id, agent_read_time)
       select id, account_id, $2, '2026-01-02T03:04:05Z' from conversations where id = $1`,
      [conversation.id, id],
    );
    const [found] = await list(visitor);
    expect([found?.unread_count, found?.agent_read_time]).toEqual([1, "2026-01-02T03:04:05.000Z"]);
  });

  test("the last message is the last one that a visitor sees, also below many notes", async () => {
    const visitor = await s.visitor("Emil");
    const { conversation } = await s.begin(visitor, "Visible");
    for (let index = 0; index < 55; index++)
      await api(conversation.id, byAgent(`Note ${index}`, { message_type: "private" }));
    const [found] = await list(visitor);
    expect(textsOf(found?.last_message ? [found.last_message] : [])).toEqual(["Visible"]);
    const { body } = await read(visitor, conversation.id, { limit: 1 });
    expect([textsOf(body.messages), body.has_older]).toEqual([["Visible"], false]);
  });
});

describe("POST /messenger/api/conversations/{conversation_id}/csat", () => {
  test("POST /messenger/api/conversations/{conversation_id}/csat 201 rates the interaction", async () => {
    const visitor = await s.visitor("Sue");
    const { conversation } = await s.begin(visitor);
    await resolve(conversation.id);
    const { code, body } = await rate(visitor, conversation.id, { issue_resolved: true, rating: 5 });
    expect([code, body.status, body.is_rated]).toEqual([201, "resolved", true]);
    expect((await list(visitor))[0]?.is_rated).toBe(true);
    const rated = await s.sql<{ rating: number }>("select rating from csat where conversation_id = $1", [
      conversation.id,
    ]);
    expect(rated).toEqual([{ rating: 5 }]);
  });

  test("a rating that reopens the conversation begins an interaction without a rating", async () => {
    const visitor = await s.visitor("Tom");
    const { conversation } = await s.begin(visitor);
    await resolve(conversation.id);
    const { body } = await rate(visitor, conversation.id, { issue_resolved: false, reopen_conversation: true });
    expect([body.status, body.is_rated]).toEqual(["new", false]);
  });

  test("a repeated request with the same key rates once and gets the same reply", async () => {
    const visitor = await s.visitor("Uma");
    const { conversation } = await s.begin(visitor);
    const rating = { issue_resolved: true, rating: 4 };
    const first = await rate(visitor, conversation.id, rating, keyed("rate-1"));
    const again = await rate(visitor, conversation.id, rating, keyed("rate-1"));
    expect([first.body.is_rated, again.body]).toEqual([true, first.body]);
    expect(await s.sql("select from csat where conversation_id = $1", [conversation.id])).toHaveLength(1);
  });

  test("POST /messenger/api/conversations/{conversation_id}/csat 410 KEPT_ANSWER_REMOVED when it is repeated right after the user was deleted", async () => {
    const visitor = await s.visitor("Removed");
    const { conversation } = await s.begin(visitor);
    const rating = { issue_resolved: true, rating: 4 };
    await rate(visitor, conversation.id, rating, keyed("rate-removed"));
    await s.client.users.deleteUser({ params: { user_id: visitor.userId } });
    const again = await rate(visitor, conversation.id, rating, keyed("rate-removed"));
    expect(outcome(again)).toBe("410 KEPT_ANSWER_REMOVED");
  });

  test("POST /messenger/api/conversations/{conversation_id}/csat 409 CONFLICT while the conversation changes constantly", async () => {
    const visitor = await s.visitor("Restless");
    const { conversation } = await s.begin(visitor);
    // No row is inserted, as if the conversation had always changed.
    await s.sql(`create function moving() returns trigger language plpgsql as $$ begin return null; end $$`);
    await s.sql("create trigger moving before insert on csat for each row execute function moving()");
    const refused = outcome(await rate(visitor, conversation.id, { issue_resolved: false }));
    await s.sql("drop function moving cascade");
    expect(refused).toBe("409 CONFLICT");
  });

  test("POST /messenger/api/conversations/{conversation_id}/csat 400 CSAT_REOPEN_REFUSED", async () => {
    const visitor = await s.visitor("Vic");
    const { conversation } = await s.begin(visitor);
    const body = { issue_resolved: true, rating: 5, reopen_conversation: true };
    expect(outcome(await rate(visitor, conversation.id, body))).toBe("400 CSAT_REOPEN_REFUSED");
  });

  test("POST /messenger/api/conversations/{conversation_id}/csat 403 VISITOR_BLOCKED", async () => {
    const { visitor, id } = await blockedVisitor();
    expect(outcome(await rate(visitor, id, { issue_resolved: false }))).toBe("403 VISITOR_BLOCKED");
  });

  test("POST /messenger/api/conversations/{conversation_id}/csat 404 CONVERSATION_NOT_FOUND for another visitor's", async () => {
    const other = await s.begin(await s.visitor("Stranger"));
    const visitor = await s.visitor("Wes");
    expect(outcome(await rate(visitor, other.conversation.id, { issue_resolved: false }))).toBe(
      "404 CONVERSATION_NOT_FOUND",
    );
  });
});
