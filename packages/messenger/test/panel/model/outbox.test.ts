import "./browser-globals.ts";
import { mock } from "node:test";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { MessengerMessage } from "@parley/contract";
import fc from "fast-check";
import type { ApiClient } from "../../../src/panel/model/api/api-client.ts";
import { noReply, RequestError } from "../../../src/panel/model/api/request-error.ts";
import { createApplyItems } from "../../../src/panel/model/live/apply-items.ts";
import { createOutbox } from "../../../src/panel/model/outbox/outbox.ts";
import { createOutboxFiles } from "../../../src/panel/model/outbox/outbox-files.ts";
import { createOutboxStorage } from "../../../src/panel/model/outbox/outbox-storage.ts";
import { openPageStorage } from "../../../src/panel/model/session/page-storage.ts";
import { createStore } from "../../../src/panel/model/store.ts";
import {
  emptyThread,
  INITIAL_STATE,
  topicKey,
  withConversations,
  withThread,
} from "../../../src/panel/model/threads/panel-state.ts";
import { fakeStorage } from "./fake-storage.ts";
import { conversationBuilder, messageBuilder } from "./message-builder.ts";

beforeEach(() => mock.timers.enable({ apis: ["setTimeout", "Date"] }));
afterEach(() => mock.timers.reset());

/** What becomes of one attempt to send. */
const OUTCOMES = ["arrives", "is lost", "has a lost reply", "is throttled", "fails"] as const;
type Outcome = (typeof OUTCOMES)[number] | "needs a signature";
const FAILURES: Partial<Record<Outcome, () => RequestError>> = {
  "needs a signature": () => new RequestError(403, "SIGNED_IDENTITY_REQUIRED", ""),
  "is lost": noReply,
  "is throttled": () => new RequestError(429, "TOO_MANY_REQUESTS", "", 2_000),
  fails: () => new RequestError(502, "", ""),
};

/** A service that keeps each key once, as the contract says, and a panel that sends to it. */
const fixture = (outcomes: readonly Outcome[], storage = fakeStorage()) => {
  const stored: MessengerMessage[] = [];
  const byKey = new Map<string, MessengerMessage>();
  const attempts = [...outcomes];
  let begun = 0;
  const add = (key: string, text: string): MessengerMessage => {
    const known = byKey.get(key);
    if (known) return known;
    const message = messageBuilder({ id: `s${stored.length}`, second: stored.length, actor: "user", text });
    byKey.set(key, message);
    stored.push(message);
    return message;
  };
  const call = async (operation: string, input: object, options: { readonly idempotencyKey?: string } = {}) => {
    await Promise.resolve();
    const outcome = attempts.shift() ?? "arrives";
    const failure = FAILURES[outcome];
    if (failure) throw failure();
    const { body } = input as { readonly body: { readonly message?: object } };
    const { message_parts } = (body.message ?? body) as { readonly message_parts: { text: { content: string } }[] };
    const isBegin = operation === "beginMessengerConversation";
    if (isBegin && !byKey.has(options.idempotencyKey ?? "")) begun += 1;
    const message = add(options.idempotencyKey ?? "", message_parts[0]?.text.content ?? "");
    if (outcome === "has a lost reply") throw noReply();
    return isBegin ? { conversation: conversationBuilder({ last_message: message }), messages: [message] } : message;
  };
  const state = createStore(INITIAL_STATE);
  let ids = 0;
  const outbox = createOutbox({
    state,
    api: { call } as unknown as ApiClient,
    storage: createOutboxStorage(
      openPageStorage(() => storage),
      "key",
    ),
    files: createOutboxFiles(() => ({ file_bytes: 10, image_bytes: 10 })),
    tab: {
      id: "tab",
      isGone: () => Promise.resolve((tab) => tab === "closed"),
      forget: () => undefined,
      hold: () => undefined,
      end: () => undefined,
    },
    lockName: "lock",
    newId: () => `o${(ids += 1)}`,
    ensureSession: () => Promise.resolve("visitor_1"),
    generation: () => "g",
    currentGeneration: () => "g",
    onSent: () => undefined,
    onSignatureRequired: () => state.update((current) => ({ ...current, isUnsigned: true })),
  });
  const apply = createApplyItems({
    ...{ state, hold: outbox.hold, withRead: (conversation) => conversation, onChange: () => undefined },
    ...{ onUnknownConversation: () => undefined, onReceived: () => undefined, onResolved: () => undefined },
    onAgentRead: () => undefined,
  });
  return { state, outbox, stored, begun: () => begun, apply, storage };
};

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
};

/** Texts of the shown thread, confirmed or not. */
const shownTexts = ({ state }: Pick<ReturnType<typeof fixture>, "state">): readonly string[] =>
  [...state.get().threads.values()].flatMap(({ messages, outgoing }) =>
    [...messages, ...outgoing].map(({ message_parts }) => message_parts[0]?.text?.content ?? ""),
  );

const open = ({ state }: Pick<ReturnType<typeof fixture>, "state">, isBegun: boolean): string => {
  const conversation = conversationBuilder();
  const key = isBegun ? conversation.id : topicKey("t1");
  state.update((current) => ({
    ...withThread(withConversations(current, isBegun ? [conversation] : []), key, emptyThread("t1")),
    place: { kind: "thread", key },
  }));
  return key;
};

test("with lost requests, lost replies and echoes at any time each message arrives once, in order, and is always shown once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...OUTCOMES), { maxLength: 12 }),
      fc.array(fc.constantFrom("write", "echo", "wait"), { minLength: 4, maxLength: 20 }),
      fc.boolean(),
      async (outcomes, steps, isBegun) => {
        const panel = fixture(outcomes);
        open(panel, isBegun);
        const written: string[] = [];
        let echoed = 0;
        const check = (): void => expect([...shownTexts(panel)].sort()).toEqual([...written].sort());
        panel.state.follow(check);
        for (const step of [...steps, "wait" as const]) {
          if (step === "write") {
            written.push(`text ${written.length}`);
            const { place } = panel.state.get();
            const content = [{ text: { content: written.at(-1) ?? "" } }];
            if (place.kind === "thread") panel.outbox.add(place.key, { message_parts: content }, false);
          } else if (step === "echo") {
            const arrived = panel.stored.slice(echoed);
            // The stream of a conversation begins after the conversation is known.
            if (panel.state.get().conversations.length > 0) {
              echoed = panel.stored.length;
              panel.apply(arrived.map((message) => ({ item: { event: "message", data: { message } } })));
            }
          } else {
            mock.timers.tick(5_000);
          }
          await settle();
        }
        for (let turn = 0; turn < 40; turn += 1) {
          mock.timers.tick(40_000);
          await settle();
        }
        expect(panel.stored.map(({ message_parts }) => message_parts[0]?.text?.content)).toEqual(written);
        expect(shownTexts(panel)).toEqual(written);
        expect(panel.begun()).toBe(isBegun || written.length === 0 ? 0 : 1);
        expect(panel.storage.length).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
});

test("unsent messages are sent by the page after a reload, and by another tab after theirs was closed", async () => {
  const first = fixture(["is lost"]);
  first.outbox.add(open(first, true), { message_parts: [{ text: { content: "kept" } }] }, false);
  await settle();
  const [name = "", value = ""] = [first.storage.key(0) ?? "", first.storage.getItem(first.storage.key(0) ?? "") ?? ""];
  for (const [tab, sent] of [
    ["tab", 1],
    ["closed", 1],
    ["other", 0],
  ] as const) {
    const storage = fakeStorage();
    storage.setItem(name, JSON.stringify({ ...(JSON.parse(value) as object), tab }));
    const next = fixture([], storage);
    open(next, true);
    await next.outbox.resume();
    await settle();
    expect([tab, next.stored.length]).toEqual([tab, sent]);
  }
});

test("messages that are written after the signed identity has ended wait, and are sent in order when it is renewed", async () => {
  const panel = fixture(["needs a signature"]);
  const key = open(panel, true);
  for (const content of ["one", "two"]) panel.outbox.add(key, { message_parts: [{ text: { content } }] }, false);
  await settle();
  mock.timers.tick(100_000);
  await settle();
  expect(panel.outbox.outgoing(key).map(({ state }) => state)).toEqual(["unsigned", "unsigned"]);
  expect(panel.stored).toEqual([]);
  panel.state.update((current) => ({ ...current, isUnsigned: false }));
  await panel.outbox.resume();
  await settle();
  expect(panel.stored.map(({ message_parts }) => message_parts[0]?.text?.content)).toEqual(["one", "two"]);
});

test("stored messages of an earlier person are neither shown nor sent, and are removed", async () => {
  const storage = fakeStorage();
  const entry = { id: "o1", generation: "earlier", tab: "tab", order: 1, threadKey: "c1", message_parts: [] };
  storage.setItem("key outbox o1", JSON.stringify(entry));
  const panel = fixture([], storage);
  open(panel, true);
  await panel.outbox.resume();
  await settle();
  expect([panel.stored.length, shownTexts(panel).length, storage.length]).toEqual([0, 0, 0]);
});

test("a message whose outcome has been unknown for longer than the service keeps its key is not sent again by itself", async () => {
  const storage = fakeStorage();
  const entry = {
    id: "o1",
    generation: "g",
    tab: "tab",
    order: 1,
    threadKey: "c1",
    message_parts: [],
    created_time: "",
  };
  storage.setItem("key outbox o1", JSON.stringify({ ...entry, firstSentAt: -21 * 3_600_000 }));
  const panel = fixture([], storage);
  open(panel, true);
  await panel.outbox.resume();
  await settle();
  expect(panel.stored).toEqual([]);
  expect(panel.outbox.outgoing("c1")[0]?.failure).toBe("unknownOutcome");
});

test("a file that is too large or empty, and one whose page was left, fail with the reason and don't hold up later messages", async () => {
  const panel = fixture([]);
  const key = open(panel, true);
  panel.outbox.attach(key, new File(["more than ten bytes"], "large.txt"), false);
  panel.outbox.attach(key, new File([], "empty.txt"), false);
  panel.outbox.add(key, { message_parts: [{ text: { content: "after" } }] }, false);
  await settle();
  expect(panel.outbox.outgoing(key).map(({ failure }) => failure)).toEqual(["fileTooLarge", "fileEmpty"]);
  expect(panel.outbox.outgoing(key).map(({ isFinal }) => isFinal)).toEqual([true, true]);
  expect(panel.stored).toHaveLength(1);
  const [large] = panel.outbox.outgoing(key);
  panel.outbox.discard(large?.id ?? "");
  expect(panel.outbox.outgoing(key)).toHaveLength(1);
});
