import { afterEach, describe, expect, test } from "@jest/globals";
import type { CustomerPresence } from "@parley/contract";
import { PRESENCE_RULES } from "../../../src/events/presence/presence.ts";
import { STREAM_RULES } from "../../../src/events/stream/stream-rules.ts";
import { consolePages, type ConsolePage } from "../../events/presence/console-stream.ts";
import { UNKNOWN_ID } from "../../console/console-harness.ts";
import { serviceHarness } from "../../service-harness.ts";
import { messengerHarness } from "../messenger-harness.ts";
import { visitorStreams, writingVisitor, type VisitorStream } from "./live-fixture.ts";
import { fileFixture } from "../../../../../test/support/file-fixture.ts";

const RULES = {
  ...STREAM_RULES,
  checkMs: 50,
  retryMs: 20,
  presence: { ...PRESENCE_RULES, typingMs: 500, goneMs: 300 },
};

const s = fileFixture(() => messengerHarness({ streamRules: RULES }));
/** Another process of the same service. */
const other = fileFixture(() =>
  serviceHarness({ database: s.database, objectsFolder: s.objectsFolder, streamRules: RULES }),
);
const { open: openVisitor, closeAll: closeVisitors } = visitorStreams();
const { open: openPage, closeAll: closePages } = consolePages();
afterEach(async () => {
  await closePages();
  await closeVisitors();
});

/** What a page received last about the customer of a conversation. */
const customerIn = (page: ConsolePage, conversationId: string): CustomerPresence | undefined => {
  const found = page.items.findLast(
    (item) => item.event === "customer_presence" && item.data.conversation_id === conversationId,
  );
  return found?.event === "customer_presence" ? found.data : undefined;
};
const untilState = (page: ConsolePage, conversationId: string, state: CustomerPresence["state"]) =>
  page.until(() => customerIn(page, conversationId)?.state === state, 10_000);

/** The names of the agents who write, as the visitor received them last. */
const writing = (stream: VisitorStream): readonly (string | undefined)[] | undefined => {
  const found = stream.items.findLast(({ event }) => event === "typing");
  return found?.event === "typing" ? found.data.actors.map(({ first_name }) => first_name) : undefined;
};

const PROCESSES = ["one process", "two processes"] as const;

describe("PUT /messenger/api/conversations/{conversation_id}/activity", () => {
  test.each(PROCESSES)(
    "PUT /messenger/api/conversations/{conversation_id}/activity 204 shows that the visitor types to the agent who has the conversation open, over %s",
    async (processes) => {
      const visitor = await writingVisitor(s);
      const page = await openPage(processes === "one process" ? s.url : other.url, s.maya.session);
      await page.report(visitor.conversationId, "viewing");
      expect((await visitor.activity({ is_typing: true })).code).toBe(204);
      await untilState(page, visitor.conversationId, "typing");
      await untilState(page, visitor.conversationId, "gone");
      await openVisitor(s.url, visitor.token);
      await untilState(page, visitor.conversationId, "online");
      await visitor.activity({ is_typing: true });
      await untilState(page, visitor.conversationId, "typing");
      await visitor.activity({ is_typing: false });
      await untilState(page, visitor.conversationId, "online");
      await closeVisitors();
      await untilState(page, visitor.conversationId, "gone");
    },
  );

  test.each(PROCESSES)(
    "shows until where the visitor has read, over %s, now and to an agent who comes later",
    async (processes) => {
      const visitor = await writingVisitor(s);
      const url = processes === "one process" ? s.url : other.url;
      const page = await openPage(url, s.maya.session);
      await page.report(visitor.conversationId, "viewing");
      const second = await visitor.write("second");
      expect((await visitor.activity({ read_message_id: second })).code).toBe(204);
      await page.until(() => customerIn(page, visitor.conversationId)?.read_message_id === second, 10_000);
      // An earlier message changes nothing.
      await visitor.activity({ read_message_id: visitor.firstMessageId });
      const later = await openPage(url, s.noah.session);
      await later.report(visitor.conversationId, "viewing");
      await later.until(() => customerIn(later, visitor.conversationId) !== undefined, 10_000);
      expect(customerIn(later, visitor.conversationId)?.read_message_id).toBe(second);
    },
  );

  test("is sent only to agents who have the conversation open, and within their scope", async () => {
    const visitor = await writingVisitor(s);
    const outside = await s.newAgent("Outside", "Me");
    const [page, idle, far] = [
      await openPage(s.url, s.maya.session),
      await openPage(s.url, s.noah.session),
      await openPage(s.url, outside.session),
    ];
    await page.report(visitor.conversationId, "viewing");
    await expect(far.report(visitor.conversationId, "viewing")).rejects.toThrow();
    await openVisitor(s.url, visitor.token);
    await untilState(page, visitor.conversationId, "online");
    await page.report(visitor.conversationId, "left");
    await idle.report(visitor.conversationId, "viewing");
    await untilState(idle, visitor.conversationId, "online");
    expect(customerIn(far, visitor.conversationId)).toBeUndefined();
    expect(page.items.filter(({ event }) => event === "customer_presence")).toHaveLength(1);
  });

  test("PUT /messenger/api/conversations/{conversation_id}/activity 404 CONVERSATION_NOT_FOUND, MESSAGE_NOT_FOUND", async () => {
    const [one, two] = [await writingVisitor(s), await writingVisitor(s)];
    const unknown = { code: 404, status: "CONVERSATION_NOT_FOUND" };
    for (const id of [two.conversationId, UNKNOWN_ID, "x"])
      expect(await one.activity({ is_typing: true }, id)).toEqual(unknown);
    const { id: noteId } = await s.client.messages.createMessage({
      params: { conversation_id: one.conversationId },
      body: {
        actor_type: "agent",
        actor_id: s.maya.id,
        message_type: "private",
        message_parts: [{ text: { content: "a note" } }],
      },
    });
    for (const read_message_id of [two.firstMessageId, UNKNOWN_ID, "x", noteId])
      expect(await one.activity({ read_message_id })).toEqual({ code: 404, status: "MESSAGE_NOT_FOUND" });
  });
});

describe("the visitor's stream shows", () => {
  test.each(PROCESSES)("which agents write, with the first name only, over %s", async (processes) => {
    const visitor = await writingVisitor(s);
    const [page, stream] = [
      await openPage(processes === "one process" ? s.url : other.url, s.maya.session),
      await openVisitor(s.url, visitor.token),
    ];
    await page.report(visitor.conversationId, "typing");
    await stream.until(() => writing(stream)?.[0] === "Maya");
    const late = await openVisitor(s.url, visitor.token);
    await late.until(() => writing(late)?.[0] === "Maya");
    await page.report(visitor.conversationId, "viewing");
    await stream.until(() => writing(stream)?.length === 0);
    expect(stream.text()).not.toContain(s.maya.id);
    const elsewhere = await openVisitor(s.url, (await writingVisitor(s)).token);
    await page.report(visitor.conversationId, "typing");
    await stream.until(() => writing(stream)?.[0] === "Maya");
    expect(writing(elsewhere)).toBeUndefined();
  });

  test.each(PROCESSES)(
    "that an agent has read, when the conversation is opened and when a message comes, over %s",
    async (processes) => {
      const visitor = await writingVisitor(s);
      const [page, stream] = [
        await openPage(processes === "one process" ? s.url : other.url, s.maya.session),
        await openVisitor(s.url, visitor.token),
      ];
      const times = () =>
        stream.items.flatMap((item) => (item.event === "read" ? [Date.parse(item.data.agent_read_time)] : []));
      await page.report(visitor.conversationId, "viewing");
      await stream.until(() => times().length > 0);
      const before = times().length;
      await visitor.write("and this?");
      await stream.until(() => times().length > before);
      const message = stream.items.find(({ event }) => event === "message");
      const sentTime = message?.event === "message" ? Date.parse(message.data.message.created_time) : Infinity;
      expect(times().at(-1)).toBeGreaterThanOrEqual(sentTime);
      const { body } = await s.request<{ conversations: { agent_read_time: string }[] }>("GET", "/conversations", {
        token: visitor.token,
      });
      expect(Date.parse(body.conversations[0]?.agent_read_time ?? "")).toBe(times().at(-1));
    },
  );
});
