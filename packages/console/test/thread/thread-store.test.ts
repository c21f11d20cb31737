import "../browser-globals.ts";
import { expect, test } from "@jest/globals";
import { withConfirmed, type PendingMessage } from "../../src/thread/pending.ts";
import {
  closeThread,
  knownThread,
  openThread,
  withEvents,
  withGap,
  withLoaded,
  withSent,
  type ThreadState,
} from "../../src/thread/thread-store.ts";
import { agentMessage, at, messageOf, messagesOf } from "./message-fixture.ts";

const pendingOf = (key: string, text: string, fields: Partial<PendingMessage> = {}): PendingMessage => ({
  key,
  created_time: at(5),
  message: {
    actor_type: "agent",
    actor_id: "agent",
    message_type: "normal",
    message_parts: [{ text: { content: text } }],
  },
  ...fields,
});

const ready = (fields: Partial<ThreadState> = {}): ThreadState => ({
  messages: messagesOf(1, 2),
  hasOlder: false,
  hasNewer: false,
  phase: "ready",
  missed: [],
  hasGap: false,
  pending: [],
  keys: new Map(),
  arrivals: 0,
  announced: [],
  isAtEnd: true,
  ...fields,
});
const idsOf = ({ messages }: ThreadState): string[] => messages.map(({ id }) => id);
const sent = agentMessage(9, { message_parts: [{ text: { content: "Hello" } }] });

test("an own message whose event comes first is shown once, and keeps its row", () => {
  const waiting = ready({ pending: [pendingOf("p1", "Hello")] });
  const arrived = withEvents(waiting, [sent]);
  expect(arrived.pending[0]?.confirmedId).toBe("m9");
  const done = withSent(arrived, "p1", sent);
  expect(idsOf(done)).toEqual(["m1", "m2", "m9"]);
  expect(done.pending).toEqual([]);
  expect(done.keys.get("m9")).toBe("p1");
});

test("an own message whose response comes first is shown once", () => {
  const done = withEvents(withSent(ready({ pending: [pendingOf("p1", "Hello")] }), "p1", sent), [sent]);
  expect(idsOf(done)).toEqual(["m1", "m2", "m9"]);
  expect(done.pending).toEqual([]);
});

test("of two equal pending messages, each event confirms one message", () => {
  const pending = [pendingOf("p1", "Hello"), pendingOf("p2", "Hello")];
  const once = withConfirmed(pending, [sent]);
  expect(once.map(({ confirmedId }) => confirmedId)).toEqual(["m9", undefined]);
  expect(withConfirmed(once, [sent])).toEqual(once);
  const twice = withConfirmed(once, [{ ...sent, id: "m10" }]);
  expect(twice.map(({ confirmedId }) => confirmedId)).toEqual(["m9", "m10"]);
});

test("an equal message of another device that was taken for the own message is shown as well", () => {
  const taken = withEvents(ready({ pending: [pendingOf("p1", "Hello")] }), [sent]);
  const own = { ...sent, id: "m10" };
  const done = withSent(taken, "p1", own);
  expect(idsOf(done)).toEqual(["m1", "m2", "m9", "m10"]);
  expect([...done.keys]).toEqual([["m10", "p1"]]);
});

const others: readonly (readonly [string, PendingMessage])[] = [
  [
    "of another agent",
    { ...pendingOf("p1", "Hello"), message: { ...pendingOf("p1", "Hello").message, actor_id: "other" } },
  ],
  ["with another text", pendingOf("p1", "Bye")],
  [
    "that is a private note",
    { ...pendingOf("p1", "Hello"), message: { ...pendingOf("p1", "Hello").message, message_type: "private" } },
  ],
  ["that has failed", pendingOf("p1", "Hello", { error: "No connection" })],
];
test.each(others)("an event does not confirm a pending message %s", (_, pending) => {
  expect(withConfirmed([pending], [sent])[0]?.confirmedId).toBeUndefined();
});

test("messages that arrive below the reader are counted, and announced", () => {
  const state = withEvents(ready({ isAtEnd: false }), [messageOf(3), messageOf(4)]);
  expect(state.arrivals).toBe(2);
  expect(state.announced.map(({ id }) => id)).toEqual(["m3", "m4"]);
  expect(withEvents(ready(), [messageOf(3)]).arrivals).toBe(0);
});

test("own messages of this page are not announced", () => {
  expect(withEvents(ready({ pending: [pendingOf("p1", "Hello")] }), [sent]).announced).toEqual([]);
});

test("messages that arrive while the newer end is loaded are added to the page if it reaches the end", () => {
  const loading = withEvents(ready({ phase: "loading", messages: [] }), messagesOf(3, 5));
  expect(idsOf(loading)).toEqual([]);
  const page = { messages: messagesOf(1, 3), hasOlder: false };
  expect(idsOf(withLoaded(loading, { ...page, hasNewer: false }))).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  expect(idsOf(withLoaded(loading, { ...page, hasNewer: true }))).toEqual(["m1", "m2", "m3"]);
});

test("messages that arrive while the newer end is extended do not come before its page", () => {
  const extending = withEvents(ready({ extending: "newer" }), [messageOf(9)]);
  expect(idsOf(extending)).toEqual(["m1", "m2"]);
  const loaded = withLoaded(extending, { messages: messagesOf(1, 4), hasOlder: false, hasNewer: false });
  expect(idsOf(loaded)).toEqual(["m1", "m2", "m3", "m4", "m9"]);
  expect(loaded).toMatchObject({ missed: [], phase: "ready" });
});

test("messages that arrive while older messages are loaded are added at once", () => {
  expect(idsOf(withEvents(ready({ extending: "older" }), [messageOf(3)]))).toEqual(["m1", "m2", "m3"]);
});

test("behind a gap nothing is added, until the missing messages were read", () => {
  const gap = withEvents(withGap(ready()), [messageOf(9)]);
  expect(idsOf(gap)).toEqual(["m1", "m2"]);
  expect(gap.hasGap).toBe(true);
});

test("a gap that appears during a load remains after it", () => {
  const loaded = withLoaded(withGap(ready({ extending: "newer" })), {
    messages: messagesOf(1, 4),
    hasOlder: false,
    hasNewer: false,
  });
  expect(loaded.hasGap).toBe(true);
});

test("more messages than a window takes, which arrive during a load, are read from the service", () => {
  const state = withEvents(ready({ extending: "newer" }), messagesOf(3, 500));
  expect(state).toMatchObject({ missed: [], hasGap: true });
});

test("closed threads are kept up to a number, those with unsent messages longer", () => {
  const first = openThread("unsent");
  first.set(ready({ pending: [pendingOf("p1", "Hello")] }));
  for (let number = 0; number < 20; number += 1) {
    openThread(`c${number}`).set(ready());
    closeThread(`c${number}`);
  }
  expect(knownThread("unsent")).toBe(first);
  expect(knownThread("c0")).toBeUndefined();
  expect(knownThread("c19")).toBeDefined();
});

test("a thread that is closed in older messages is forgotten", () => {
  openThread("old").set(ready({ hasNewer: true }));
  closeThread("old");
  expect(knownThread("old")).toBeUndefined();
});
