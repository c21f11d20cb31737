import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { campaignTest } from "../../../../../test/support/campaign.ts";
import type { Message, Template } from "@parley/contract";
import { statement } from "@parley/database";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import {
  fakeClock,
  GREETING_TEMPLATE,
  messageTemplate,
  MINUTE_MS,
  templateParams,
  saveTemplate,
  outboundRequest,
  sendOutbound,
  untilStatuses,
} from "./outbound-fixture.ts";
import { greetingText, userMessage, recipientFixture, textsOf } from "./recipient-fixture.ts";

const time = fakeClock();
let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness({ ports: { now: time.now } });
  await saveTemplate(w, GREETING_TEMPLATE);
  await saveTemplate(w, RICH);
});
afterAll(() => w.close());

const RICH: Template = {
  ...GREETING_TEMPLATE,
  name: "rich",
  header: { type: "image" },
  buttons: [{ subType: "url", label: "Track", url: "https://acme.example/{{1}}" }],
};

const { channelOf, list, messageTexts, newPhoneNumber, createUser, createConversation, createMessage, sendGreeting } =
  recipientFixture(() => w);

describe("a template message with storage conversation", () => {
  test("precedes the first message of the conversation that its recipient starts, for agents to read", async () => {
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    const rich_template_data = {
      header: { type: "image" as const, media_url: "https://acme.example/a.png" },
      body: { params: templateParams("Ada", "late") },
      button: { params: templateParams("7") },
    };
    const body = outboundRequest({ ...messageTemplate(RICH), storage: "conversation", rich_template_data }, [phone]);
    const { request_id } = await sendOutbound(w, body);
    const [sent] = await untilStatuses(w, request_id, "Delivered");

    const started = await createConversation(id);
    expect(textsOf(started.messages ?? [])).toEqual(["hello"]);
    const [template, hello] = await list(started.conversation_id);
    expect(textsOf([hello as Message])).toEqual(["hello"]);
    expect(template).toMatchObject({
      id: sent?.message_id,
      actor_type: "bot",
      message_type: "normal",
      message_source: "outbound",
      interaction_id: hello?.interaction_id,
      message_parts: [
        { image: { url: "https://acme.example/a.png" } },
        { text: { content: "Hi Ada, it is late." } },
        { url_button: { label: "Track", url: "https://acme.example/7", target: "_blank" } },
      ],
      meta_data: { outbound_message_id: sent?.message_id, outbound_request_id: request_id },
    });
    await createMessage(started.conversation_id, id, "again");
    await createConversation(id, "another");
    expect(await messageTexts(started.conversation_id)).toHaveLength(3);
  });

  test("appears as it was sent, even if the template has changed", async () => {
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    await sendGreeting(phone);
    await saveTemplate(w, { ...GREETING_TEMPLATE, status: "rejected", body: { text: "Changed." } });
    expect(await messageTexts((await createConversation(id)).conversation_id)).toEqual([greetingText("late"), "hello"]);
    await saveTemplate(w, GREETING_TEMPLATE);
  });

  test("has an event before that of the customer's message; the user is the actor", async () => {
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    await sendGreeting(phone);
    const { conversation_id } = await createConversation(id);
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const EVENTS = statement("", "select kind, actor_type from outbox where entity_id = $1 order by seq");
    expect(await pool.rows(EVENTS, [conversation_id])).toEqual([
      { kind: "conversation_create", actor_type: "user" },
      { kind: "message_create", actor_type: "bot" },
      { kind: "message_create", actor_type: "user" },
    ]);
    await pool.end();
  });

  test("precedes the next message of an open conversation", async () => {
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    const { conversation_id } = await createConversation(id);
    await createMessage(conversation_id, id, "one");
    await sendGreeting(phone);
    const bot = { actor_type: "bot" as const, message_parts: [{ text: { content: "bot" } }] };
    await w.client.messages.createMessage({ params: { conversation_id }, body: bot });
    await createMessage(conversation_id, id, "two");
    await createMessage(conversation_id, id, "three");
    expect(await messageTexts(conversation_id)).toEqual(["hello", "one", "bot", greetingText("late"), "two", "three"]);
  });

  test.each(["nobody", "", "00000000-0000-0000-0000-000000000000"])(
    "remains pending when another user writes ('%s'), and when a refused user writes",
    async (actor) => {
      const phone = newPhoneNumber();
      const id = await createUser(phone);
      const { conversation_id } = await createConversation(id);
      await sendGreeting(phone);
      await expect(createMessage(conversation_id, actor, "hello")).rejects.toMatchObject({ problem: { code: 400 } });
      await createMessage(conversation_id, id, "it is me");
      expect(await messageTexts(conversation_id)).toEqual(["hello", greetingText("late"), "it is me"]);
    },
  );

  test("appears in the interaction that the answer reopens", async () => {
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    const { conversation_id } = await createConversation(id);
    await w.client.conversations.updateConversation({ params: { conversation_id }, body: { status: "resolved" } });
    await sendGreeting(phone);
    const response = await createMessage(conversation_id, id, "back");
    const messages = await list(conversation_id);
    expect(textsOf(messages).slice(-3)).toEqual(["The conversation was reopened.", greetingText("late"), "back"]);
    expect(messages.at(-2)?.interaction_id).toBe(response.interaction_id);
    expect(messages[0]?.interaction_id).not.toBe(response.interaction_id);
  });

  test.each([
    ["+1 (202) 555-0199", "+12025550199", true],
    ["001 202 555 0198", "+12025550198", true],
    ["tel:+12025550197", "+12025550197", false],
    ["2025550196", "+12025550196", false],
    ["+12025550195", "+12025550194", false],
    ["not a number", "+12025550193", false],
  ])("finds a user with the phone %s by the number %s: %s", async (phone, to, isFound) => {
    const id = await createUser(phone);
    await sendGreeting(to);
    const { conversation_id } = await createConversation(id);
    expect(await messageTexts(conversation_id)).toEqual(isFound ? [greetingText("late"), "hello"] : ["hello"]);
  });

  test("is kept for a message of its recipient, a user of its own account", async () => {
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    const otherUser = await w.solo.users.createUser({ body: { phone } });
    await sendGreeting(phone);
    const bot = { actor_type: "bot" as const, message_parts: [{ text: { content: "bot" } }] };
    const quiet = await w.client.conversations.createConversation({
      body: { channel_id: await channelOf(), users: [{ id }], messages: [bot] },
    });
    expect(await messageTexts(quiet.conversation_id)).toEqual(["bot"]);
    const channel = (await w.solo.channels.listChannels({ query: {} })).channels[0]?.id ?? "";
    const body = { channel_id: channel, users: [{ id: otherUser.id }], messages: [userMessage(otherUser.id, "solo")] };
    const { conversation_id } = await w.solo.conversations.createConversation({ body });
    const { messages } = await w.solo.messages.listMessages({ params: { conversation_id }, query: {} });
    expect(textsOf(messages)).toEqual(["solo"]);
    expect(await messageTexts((await createConversation(id)).conversation_id)).toEqual([greetingText("late"), "hello"]);
  });

  test("is omitted if it failed, is not to be stored, or is older than a month", async () => {
    const failing = await createUser("+12025550102");
    const rich = { body: { params: templateParams("Ada", "late") } };
    const failed = await sendOutbound(
      w,
      outboundRequest({ storage: "conversation", rich_template_data: rich }, ["+12025550102"]),
    );
    await untilStatuses(w, failed.request_id, "Failed");
    expect(await messageTexts((await createConversation(failing)).conversation_id)).toEqual(["hello"]);

    const phone = newPhoneNumber();
    const id = await createUser(phone);
    await sendGreeting(phone, "late", "none");
    expect(await messageTexts((await createConversation(id)).conversation_id)).toEqual(["hello"]);

    const [old, young] = [newPhoneNumber(), newPhoneNumber()];
    const ids = [await createUser(old), await createUser(young)];
    await sendGreeting(old);
    time.advance(60 * MINUTE_MS);
    await sendGreeting(young);
    time.advance((30 * 24 - 1) * 60 * MINUTE_MS);
    const started = await Promise.all(ids.map((each) => createConversation(each)));
    expect(await messageTexts(started[0]?.conversation_id ?? "")).toEqual(["hello"]);
    expect(await messageTexts(started[1]?.conversation_id ?? "")).toEqual([greetingText("late"), "hello"]);
  });

  test("of seven, only the newest five appear, in order", async () => {
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    for (const word of ["1", "2", "3", "4", "5", "6", "7"]) {
      await sendGreeting(phone, word);
      time.advance(1_000);
    }
    const { conversation_id } = await createConversation(id);
    await createMessage(conversation_id, id, "again");
    expect(await messageTexts(conversation_id)).toEqual([
      ...["3", "4", "5", "6", "7"].map(greetingText),
      "hello",
      "again",
    ]);
  });

  test("is not stored by a message that is refused", async () => {
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    const { conversation_id } = await createConversation(id);
    const quiet = { actor_type: "bot" as const, message_parts: [{ text: { content: "bye" } }], restrictResponse: true };
    await w.client.messages.createMessage({ params: { conversation_id }, body: quiet });
    await sendGreeting(phone);
    await expect(createMessage(conversation_id, id, "no")).rejects.toMatchObject({
      problem: { status: "RESPONSE_RESTRICTED" },
    });
    const other = await createUser(newPhoneNumber());
    await expect(createMessage(conversation_id, other, "no")).rejects.toMatchObject({
      problem: { status: "INVALID_ACTOR" },
    });
    expect(await messageTexts(conversation_id)).toEqual(["hello", "bye"]);
    expect(await messageTexts((await createConversation(id, "yes")).conversation_id)).toEqual([
      greetingText("late"),
      "yes",
    ]);
  });

  campaignTest("appears once, however many answers two processes receive concurrently", async () => {
    const second = await serviceHarness({ database: w.database, ports: { now: time.now } });
    for (let round = 0; round < 4; round += 1) {
      const phone = newPhoneNumber();
      const id = await createUser(phone);
      const { conversation_id } = await createConversation(id);
      if (round % 2 === 1)
        await w.client.conversations.updateConversation({ params: { conversation_id }, body: { status: "resolved" } });
      const ids = [await sendGreeting(phone, "a"), await sendGreeting(phone, "b")];
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          createMessage(conversation_id, id, `m${index}`, index % 2 ? w : second),
        ),
      );
      const messages = await list(conversation_id);
      const put = messages.filter(({ message_source }) => message_source === "outbound");
      expect(put.map(({ meta_data }) => meta_data?.["outbound_request_id"])).toEqual(expect.arrayContaining(ids));
      expect(put).toHaveLength(2);
      expect(messages.filter(({ actor_type }) => actor_type === "user")).toHaveLength(13);
    }
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    await sendGreeting(phone);
    const started = await Promise.all([
      createConversation(id, "x"),
      createConversation(id, "y", second),
      createConversation(id, "z"),
      createConversation(id, "v", second),
    ]);
    const all = await Promise.all(started.map(({ conversation_id }) => messageTexts(conversation_id)));
    expect(all.flat().filter((text) => text === greetingText("late"))).toHaveLength(1);
    await second.close();
  });

  campaignTest("appears once, even if a process ended before recording it", async () => {
    const phone = newPhoneNumber();
    const id = await createUser(phone);
    await sendGreeting(phone);
    const { conversation_id } = await createConversation(id);
    const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
    const FORGET = statement("", "update outbound_messages set is_waiting = true where recipient = $1");
    await pool.rows(FORGET, [phone]);
    await pool.end();
    w.expireCaches();
    await createMessage(conversation_id, id, "again");
    expect(await messageTexts(conversation_id)).toEqual([greetingText("late"), "hello", "again"]);
  });
});
