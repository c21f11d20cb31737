import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { TEST_CUSTOMER_REFERENCE, type TestCustomerConversation } from "@parley/contract";
import {
  consoleHarness,
  outcome,
  secondProcess,
  UNKNOWN_ID,
  type ConsoleAgent,
  type ConsoleHarness,
} from "../console-harness.ts";
import type { SessionHarness } from "../../identity/authentication/session-harness.ts";

let s: ConsoleHarness;
/** A second process on the same database. */
let other: SessionHarness;
beforeAll(async () => {
  s = await consoleHarness();
  other = await secondProcess(s);
});
afterAll(async () => {
  await other.close();
  await s.close();
});

const get = async (agent: ConsoleAgent) => s.call<{ conversation?: TestCustomerConversation }>(agent, "GET", "/trial");
const send = ({ session }: ConsoleAgent, body: object, at: SessionHarness = s) =>
  at.page<TestCustomerConversation>("POST", "/console/api/trial/messages", { session, body });
const channel = (index = 0): string => s.channels[index]?.id ?? "";
const textsOf = ({ messages }: TestCustomerConversation) =>
  messages.map(({ message_parts }) => message_parts[0]?.text?.content);
const usersOf = (agent: ConsoleAgent) =>
  s.sql<{ id: string }>("select id from users where reference_id = $1", [`${TEST_CUSTOMER_REFERENCE}${agent.id}`]);

describe("a test customer", () => {
  test("GET /console/api/trial 200 is empty at first and creates nobody", async () => {
    const agent = await s.newAgent("Curious");
    const { code, body } = await get(agent);
    expect([code, body, await usersOf(agent)]).toEqual([200, {}, []]);
  });

  test("POST /console/api/trial/messages 200 creates the customer of the agent, a conversation, and later messages in it", async () => {
    const agent = await s.newAgent("Tester");
    const first = await send(agent, { channel_id: channel(), text: "Hello" });
    expect([first.code, first.body]).toMatchObject([200, { channel_id: channel(), status: "new" }]);
    expect(textsOf(first.body)).toEqual(["Hello"]);
    const user = await s.client.users.getUser({ params: { user_id: first.body.user_id } });
    expect(user).toMatchObject({
      first_name: "Trial",
      last_name: "customer of Tester",
      reference_id: `${TEST_CUSTOMER_REFERENCE}${agent.id}`,
    });
    const second = await send(agent, { text: "Anybody there?" });
    expect(second.body.conversation_id).toBe(first.body.conversation_id);
    expect(textsOf(second.body)).toEqual(["Hello", "Anybody there?"]);
    expect(second.body.messages.map(({ actor_type, actor_id }) => [actor_type, actor_id])).toEqual(
      Array<unknown>(2).fill(["user", user.id]),
    );
    const third = await send(agent, { channel_id: channel(1), text: "Something else" });
    expect([third.body.user_id, third.body.channel_id]).toEqual([user.id, channel(1)]);
    expect(third.body.conversation_id).not.toBe(first.body.conversation_id);
    expect((await get(agent)).body.conversation).toEqual(third.body);
    expect(await usersOf(agent)).toHaveLength(1);
  });

  test("answers of agents are shown to it, private notes are not", async () => {
    const agent = await s.newAgent("Asker");
    const { body } = await send(agent, { channel_id: channel(), text: "Question" });
    const params = { conversation_id: body.conversation_id };
    const answer = (content: string, message_type: "normal" | "private") =>
      s.client.messages.createMessage({
        params,
        body: { actor_type: "agent", actor_id: s.maya.id, message_type, message_parts: [{ text: { content } }] },
      });
    await answer("Do not tell", "private");
    const { id } = await answer("Answer", "normal");
    const { conversation } = (await get(agent)).body;
    expect(conversation && textsOf(conversation)).toEqual(["Question", "Answer"]);
    const reply = await send(agent, { text: "Thanks", in_reply_to: { message_id: id } });
    expect(textsOf(reply.body)).toEqual(["Question", "Answer", "Thanks"]);
    expect(reply.body.messages.at(-1)?.in_reply_to).toEqual({ message_id: id });
  });

  test("the newest 100 messages are shown, the oldest first", async () => {
    const agent = await s.newAgent("Talker");
    const { body } = await send(agent, { channel_id: channel(), text: "First" });
    await s.sql(
      `insert into messages (id, conversation_id, seq, created_time, interaction_id, body)
       select gen_random_uuid(), conversation_id, nextval('log_positions'), now(), interaction_id,
              jsonb_set(body::jsonb, '{message_parts,0,text,content}', to_jsonb(i::text))::text
         from messages, generate_series(1, 150) i where conversation_id = $1`,
      [body.conversation_id],
    );
    const { conversation } = (await get(agent)).body;
    expect(conversation && textsOf(conversation)).toEqual(Array.from({ length: 100 }, (_, index) => `${index + 51}`));
  });

  test("is created once by concurrent first messages in two processes", async () => {
    const agent = await s.newAgent("Hasty");
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        send(agent, { channel_id: channel(), text: `${index}` }, index % 2 ? s : other),
      ),
    );
    expect(replies.map(outcome)).toEqual(replies.map(() => "200"));
    expect(await usersOf(agent)).toHaveLength(1);
    expect(new Set(replies.map(({ body }) => body.user_id)).size).toBe(1);
  });

  test("that was deleted is created anew", async () => {
    const agent = await s.newAgent("Renewer");
    const { body } = await send(agent, { channel_id: channel(), text: "Hello" });
    await s.client.users.deleteUser({ params: { user_id: body.user_id } });
    expect((await get(agent)).body).toEqual({});
    expect(outcome(await send(agent, { text: "Still there?" }))).toBe("404 CONVERSATION_NOT_FOUND");
    const again = await send(agent, { channel_id: channel(), text: "Hello" });
    expect([again.code, again.body.user_id === body.user_id]).toEqual([200, false]);
  });

  test.each(["Me", "Group", "Global"] as const)("is available to an agent with the scope %s", async (scope) => {
    const agent = await s.newAgent(`Scoped ${scope}`.replace(" ", "-"), scope);
    const { code, body } = await send(agent, { channel_id: channel(), text: "Hello" });
    expect([code, textsOf(body)]).toEqual([200, ["Hello"]]);
    expect(textsOf((await send(agent, { text: "More" })).body)).toEqual(["Hello", "More"]);
    expect((await get(agent)).body.conversation?.conversation_id).toBe(body.conversation_id);
  });
});

describe("refusals", () => {
  test("POST /console/api/trial/messages 404 CHANNEL_NOT_FOUND for an unknown topic", async () => {
    for (const channel_id of [UNKNOWN_ID, "none"])
      expect(outcome(await send(s.diego, { channel_id, text: "Hello" }))).toBe("404 CHANNEL_NOT_FOUND");
  });

  test("POST /console/api/trial/messages 404 CONVERSATION_NOT_FOUND without a conversation", async () => {
    const agent = await s.newAgent("Early");
    expect(outcome(await send(agent, { text: "Hello" }))).toBe("404 CONVERSATION_NOT_FOUND");
  });

  test("POST /console/api/trial/messages 400 INVALID_REPLY_TARGET for a message of another conversation", async () => {
    const { conversation_id } = await s.conversation("Ada");
    const { messages } = await s.client.messages.listMessages({ params: { conversation_id } });
    const in_reply_to = { message_id: messages[0]?.id ?? "" };
    await send(s.diego, { channel_id: channel(), text: "Hello" });
    expect(outcome(await send(s.diego, { text: "Reply", in_reply_to }))).toBe("400 INVALID_REPLY_TARGET");
    expect(outcome(await send(s.diego, { channel_id: channel(), text: "Reply", in_reply_to }))).toBe(
      "400 INVALID_REPLY_TARGET",
    );
  });

  test("POST /console/api/trial/messages 400 RESPONSE_RESTRICTED where a bot ended the conversation", async () => {
    const { body } = await send(s.maya, { channel_id: channel(), text: "Hello" });
    await s.client.messages.createMessage({
      params: { conversation_id: body.conversation_id },
      body: { actor_type: "bot", restrictResponse: true, message_parts: [{ text: { content: "Bye" } }] },
    });
    expect(outcome(await send(s.maya, { text: "But" }))).toBe("400 RESPONSE_RESTRICTED");
  });

  test("POST /console/api/trial/messages 409 CONFLICT where the conversation changes constantly", async () => {
    const agent = await s.newAgent("Unlucky");
    await send(agent, { channel_id: channel(), text: "Hello" });
    // No row is changed, as if the revision had always been another revision.
    await s.sql("create function moving() returns trigger language plpgsql as $$ begin return null; end $$");
    await s.sql("create trigger moving before update on conversations for each row execute function moving()");
    const refused = await send(agent, { text: "Again" });
    await s.sql("drop function moving cascade");
    expect(outcome(refused)).toBe("409 CONFLICT");
  });

  test.each([
    ["MISSING_PARAMETER without a text", {}],
    ["INVALID_VALUE for an empty text", { text: "" }],
    ["INVALID_VALUE for a blank text", { text: "\u200b" }],
    ["INVALID_VALUE for too long a text", { text: "x".repeat(65_537) }],
  ])("POST /console/api/trial/messages 400 %s", async (title, body) => {
    expect(outcome(await send(s.diego, { channel_id: channel(), ...body }))).toBe(`400 ${title.split(" ")[0]}`);
  });
});
