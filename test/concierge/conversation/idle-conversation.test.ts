import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { nextIdleStep } from "../../../server/lib/idle-conversation.ts";

type IdleMessage = Parameters<typeof nextIdleStep>[0][number];

const START = Date.parse("2026-01-05T09:00:00.000Z");
const HOUR = 3_600_000;
const at = (hours: number, milliseconds = 0) => new Date(START + hours * HOUR + milliseconds);
const patience = { nudgeHours: 24, resolveHours: 48 };

const messageOf = (
  actor_type: IdleMessage["actor_type"],
  hours: number,
  members: Partial<IdleMessage> = {},
): IdleMessage => ({
  id: `${actor_type}-${hours}`,
  created_time: at(hours).toISOString(),
  actor_type,
  message_type: "normal",
  ...members,
});
const user = (hours: number) => messageOf("user", hours);
const agent = (hours: number) => messageOf("agent", hours);
const bot = (hours: number, concierge = "greeting") => messageOf("bot", hours, { meta_data: { concierge } });
const nudge = (hours: number) => bot(hours, "nudge");
const step = (now: Date, ...messages: IdleMessage[]) => nextIdleStep(messages.toReversed(), now, patience);

const nothing = { kind: "nothing" };
const wait = (hours: number) => ({ kind: "wait", until: at(hours) });

describe("the next step of an idle conversation", () => {
  test.each<[string, Date, IdleMessage[], object]>([
    ["nobody has said anything", at(999), [], nothing],
    ["the customer has the last word", at(999), [agent(0), user(1)], nothing],
    ["nobody but a bot has answered", at(999), [user(0), bot(1)], nothing],
    [
      "an agent has answered privately",
      at(999),
      [user(0), messageOf("agent", 1, { message_type: "private" })],
      nothing,
    ],
    ["the customer has never written", at(999), [agent(0)], nothing],
    [
      "the customer's last message is private",
      at(999),
      [messageOf("user", 0, { message_type: "private" }), agent(1)],
      nothing,
    ],
    ["just answered", at(1), [user(0), agent(1)], wait(25)],
    ["answered a day ago, but for a moment", at(25, -1), [user(0), agent(1)], wait(25)],
    ["answered a day ago", at(25), [user(0), agent(1)], { kind: "nudge", messageId: "user-0" }],
    ["answered twice", at(25), [user(0), agent(1), agent(3)], wait(27)],
    ["answered, and a bot after it", at(25), [user(0), agent(1), bot(2)], { kind: "nudge", messageId: "user-0" }],
    ["a bot's question before the answer", at(25), [user(0), nudge(0.5), agent(1)], wait(49)],
    [
      "an earlier silence",
      at(99),
      [user(0), agent(1), nudge(25), user(30), agent(31)],
      { kind: "nudge", messageId: "user-30" },
    ],
    ["asked", at(25), [user(0), agent(1), nudge(25)], wait(73)],
    ["asked two days ago, but for a moment", at(73, -1), [user(0), agent(1), nudge(25)], wait(73)],
    ["asked two days ago", at(73), [user(0), agent(1), nudge(25)], { kind: "resolve", messageId: "user-0" }],
    ["asked, and an agent after it", at(73), [user(0), agent(1), nudge(25), agent(30)], wait(78)],
    ["asked, and the customer after it", at(999), [user(0), agent(1), nudge(25), user(26)], nothing],
    [
      "somebody else's nudge",
      at(25),
      [user(0), agent(1), messageOf("user", 2, { meta_data: { concierge: "nudge" } })],
      nothing,
    ],
  ])("%s", (_what, now, messages, expected) => expect(step(now, ...messages)).toEqual(expected));

  test("is never resolved if the admin sets no limit", () => {
    const messages = [user(0), agent(1), nudge(25)].toReversed();
    expect(nextIdleStep(messages, at(9_999), { nudgeHours: 24, resolveHours: 0 })).toEqual(nothing);
    expect(nextIdleStep(messages, at(26), { nudgeHours: 24, resolveHours: 1 })).toEqual({
      kind: "resolve",
      messageId: "user-0",
    });
    expect(nextIdleStep(messages.slice(1), at(25), { nudgeHours: 24, resolveHours: 0 })).toEqual({
      kind: "nudge",
      messageId: "user-0",
    });
  });
});

test("an idle period has one follow-up question, and each step happens at its time", () => {
  const word = fc.record({ hours: fc.integer({ min: 0, max: 200 }), by: fc.constantFrom(user, agent, bot) });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), fc.integer({ min: 1, max: 90 }), (words, nudgeHours) => {
      const messages = words
        .toSorted((one, other) => one.hours - other.hours)
        .map(({ hours, by }) => by(hours))
        .toReversed();
      let now = at(200);
      let nudgeCount = 0;
      for (let turn = 0; turn < 5; turn += 1) {
        const next = nextIdleStep(messages, now, { nudgeHours, resolveHours: 48 });
        if (next.kind === "wait") {
          expect(next.until.getTime()).toBeGreaterThan(now.getTime());
          now = next.until;
        } else if (next.kind === "nudge") {
          nudgeCount += 1;
          messages.unshift({ ...nudge(0), created_time: now.toISOString() });
        } else break;
      }
      const last = messages.find(({ actor_type }) => actor_type !== "bot");
      const wrote = messages.some(({ actor_type }) => actor_type === "user");
      expect(nudgeCount).toBe(last?.actor_type === "agent" && wrote ? 1 : 0);
    }),
  );
});
