import { expect, test } from "@jest/globals";
import type { MessengerMessage } from "@parley/contract";
import fc from "fast-check";
import {
  lastReadId,
  withArrived,
  withNewestPage,
  withOlderPage,
} from "../../../src/panel/model/threads/thread-messages.ts";
import { messageBuilder } from "./message-builder.ts";

const PAGE_SIZE = 4;

/** A conversation as the service has it. Some messages have the same time. */
const conversationOf = (length: number): readonly MessengerMessage[] =>
  Array.from({ length }, (_, index) => messageBuilder({ id: `m${index}`, second: Math.floor(index / 2) }));

const newest = (sent: readonly MessengerMessage[]) => ({
  messages: sent.slice(-PAGE_SIZE),
  has_older: sent.length > PAGE_SIZE,
});
const before = (sent: readonly MessengerMessage[], id: string) => {
  const end = sent.findIndex((each) => each.id === id);
  return { messages: sent.slice(Math.max(end - PAGE_SIZE, 0), end), has_older: end > PAGE_SIZE };
};

type Step =
  | { readonly kind: "send"; readonly count: number }
  | { readonly kind: "events" | "newest" | "older" | "repeat" | "gap" };
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("send" as const), count: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constantFrom("events", "newest", "older", "repeat", "gap") }),
  ),
  { maxLength: 30 },
);

test("events, pages and repeated events in any order give each message once, in its order and without a gap", () => {
  fc.assert(
    fc.property(steps, (each) => {
      const all = conversationOf(300);
      let [sent, received] = [6, 6];
      let thread = withNewestPage({ messages: [], hasOlder: false }, newest(all.slice(0, sent)));
      for (const step of each) {
        if (step.kind === "send") sent += step.count;
        else if (step.kind === "events") {
          thread = { ...thread, messages: withArrived(thread.messages, all.slice(received, sent)) };
          received = sent;
        } else if (step.kind === "repeat") {
          thread = {
            ...thread,
            messages: withArrived(thread.messages, all.slice(Math.max(received - 3, 0), received)),
          };
        } else if (step.kind === "older") {
          const [oldest] = thread.messages;
          if (oldest && thread.hasOlder) thread = withOlderPage(thread, before(all, oldest.id));
        } else {
          // After a gap the events are missing, and the newest page is read.
          thread = withNewestPage(thread, newest(all.slice(0, sent)));
          received = sent;
        }
      }
      const first = all.findIndex(({ id }) => id === thread.messages[0]?.id);
      expect(thread.messages.map(({ id }) => id)).toEqual(all.slice(first, received).map(({ id }) => id));
      expect(thread.hasOlder).toBe(first > 0);
    }),
  );
});

test("a message before a page is not put into it for having the time of the page's first message", () => {
  const all = conversationOf(11);
  const thread = withNewestPage({ messages: all.slice(0, 7), hasOlder: false }, newest(all));
  expect(thread.messages.map(({ id }) => id)).toEqual(["m7", "m8", "m9", "m10"]);
});

test("the reply to an own message that comes before earlier events is put after them", () => {
  const [one, two, three] = [1, 2, 3].map((second) => messageBuilder({ id: `m${second}`, second }));
  const withReply = withArrived([one!], [three!]);
  expect(withArrived(withReply, [two!, three!]).map(({ id }) => id)).toEqual(["m1", "m2", "m3"]);
});

test("the last read message is the one before the unread messages of others", () => {
  const messages = [
    messageBuilder({ id: "own", second: 1, actor: "user" }),
    messageBuilder({ id: "answer", second: 2, actor: "agent" }),
    messageBuilder({ id: "more", second: 3, actor: "user" }),
    messageBuilder({ id: "last", second: 4, actor: "bot" }),
  ];
  expect(lastReadId(messages, 0)).toBe("last");
  expect(lastReadId(messages, 1)).toBe("more");
  expect(lastReadId(messages, 2)).toBe("own");
  expect(lastReadId(messages, 3)).toBeUndefined();
});
