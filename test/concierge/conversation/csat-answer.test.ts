import { describe, expect, test } from "@jest/globals";
import type { Message } from "@parley/contract";
import fc from "fast-check";
import {
  findRatingAnswer,
  isAnswerTo,
  hasLaterMessages,
  isRatingAnswer,
  shouldAskForRating,
  questionKey,
} from "../../../server/lib/csat-answer.ts";

type RatingMessage = Parameters<typeof findRatingAnswer>[0][number];

const message = (id: string, fields: Partial<Message> & { text?: string }): RatingMessage => {
  const { text = "Hello", ...members } = fields;
  return {
    id,
    interaction_id: "1-1",
    actor_type: "user",
    message_type: "normal",
    message_parts: [{ text: { content: text } }],
    ...members,
  };
};
const user = (id: string, text: string, members: Partial<Message> = {}) => message(id, { text, ...members });
const question = message("q", { actor_type: "bot", meta_data: { concierge: "csat" } });
const agent = message("a", { actor_type: "agent" });
const bot = message("b", { actor_type: "bot", meta_data: { concierge: "nudge" } });
const reopened = message("s", { actor_type: "system", message_type: "system" });
const secret = message("p", { actor_type: "agent", message_type: "private" });
const inReply = { in_reply_to: { message_id: "q" } };

/** In order of time; the account lists the newest first. */
const answer = (...messages: RatingMessage[]) => findRatingAnswer(messages.toReversed(), "1-1");

describe("the answer to the rating question", () => {
  test.each<[string, RatingMessage[], { id: string; rating: number } | undefined]>([
    ["the next words", [question, user("1", "5")], { id: "1", rating: 5 }],
    [
      "in the interaction that they begin",
      [question, reopened, user("1", "2", { interaction_id: "1-2" })],
      { id: "1", rating: 2 },
    ],
    ["after what no person says to another", [question, secret, bot, reopened, user("1", "4")], { id: "1", rating: 4 }],
    ["not before the question", [user("1", "5"), question], undefined],
    ["not without one", [user("1", "5")], undefined],
    ["not to that of another interaction", [{ ...question, interaction_id: "1-0" }, user("1", "5")], undefined],
    ["not after an agent's words", [question, agent, user("1", "5")], undefined],
    ["not after other words of the customer", [question, user("1", "Hm"), user("2", "5")], undefined],
    ["not a second one", [question, user("1", "5"), user("2", "1")], { id: "1", rating: 5 }],
    [
      "in reply to it, whatever was said",
      [question, user("1", "Hm"), agent, user("2", "5", inReply)],
      { id: "2", rating: 5 },
    ],
    ["not a second one in reply to it", [question, user("1", "5"), user("2", "1", inReply)], { id: "1", rating: 5 }],
    ["not in reply to something else", [question, user("1", "5", { in_reply_to: { message_id: "x" } })], undefined],
    ["not privately", [question, user("1", "5", { message_type: "private" })], undefined],
    ["no words at all", [question, { ...user("1", "5"), message_parts: [] }], undefined],
    ["not an agent's number", [question, message("1", { actor_type: "agent", text: "5" })], undefined],
  ])("%s", (_what, messages, expected) => expect(answer(...messages)).toEqual(expected));

  test("is unaffected by later messages", () => {
    const word = fc.constantFrom("5", "1", "Hello", "three stars");
    const more = fc.array(fc.record({ words: word, to: fc.constantFrom(undefined, "q", "x") }), { maxLength: 6 });
    fc.assert(
      fc.property(more, more, (first, then) => {
        const messages = [...first, ...then].map(({ words, to }, index) =>
          user(`${index}`, words, to ? { in_reply_to: { message_id: to } } : {}),
        );
        const early = answer(question, ...messages.slice(0, first.length));
        if (early) expect(answer(question, ...messages)).toEqual(early);
      }),
    );
  });
});

describe("the rating question is due", () => {
  const hello = user("1", "Hello");
  const end = message("e", { actor_type: "system", message_type: "system" });
  test.each<[string, RatingMessage[], boolean]>([
    ["a customer who wrote", [hello, end], true],
    ["a customer whose word is the last", [hello], true],
    ["nothing was said", [], false],
    ["nobody wrote but agents and bots", [agent, bot, end], false],
    ["the customer wrote in an earlier interaction only", [{ ...hello, interaction_id: "1-0" }, end], false],
    ["the customer wrote privately", [user("1", "Hello", { message_type: "private" }), end], false],
    ["it goes on in a later interaction", [hello, end, { ...reopened, interaction_id: "1-2" }], false],
    ["it was asked", [hello, end, question], false],
    ["it was asked in an earlier interaction", [{ ...question, interaction_id: "1-0" }, hello, end], true],
  ])("%s", (_what, messages, expected) => expect(shouldAskForRating(messages.toReversed(), "1-1")).toBe(expected));
});

test.each<[string, RatingMessage[], boolean]>([
  ["nothing", [user("1", "5")], false],
  ["a bot, an agent's note and the service", [user("1", "5"), bot, secret, reopened], false],
  ["the customer", [user("1", "5"), user("2", "Oh")], true],
  ["an agent", [user("1", "5"), agent], true],
  ["somebody before", [agent, user("1", "5")], false],
])("messages after the answer: %s", (_what, messages, expected) =>
  expect(hasLaterMessages(messages.toReversed(), "1")).toBe(expected),
);

describe("a message is a rating answer by the records", () => {
  const at = (created_time: string, text = "5") => ({ ...user("1", text), conversation_id: "c", created_time });
  const question = { asked: "2026-01-05T09:00:00.000Z" };
  const [before, then, after] = ["2026-01-05T08:59:59.999Z", "2026-01-05T09:00:00.000Z", "2026-01-05T09:00:00.001Z"];
  test.each([
    ["never asked", undefined, at(after), false],
    ["asked later", question, at(before), false],
    ["asked just now", question, at(then), true],
    ["asked before", question, at(after), true],
    ["other words", question, at(after, "Hello"), false],
    ["it is the answer", { ...question, answer: "1" }, at(before), true],
    ["another message is the answer", { ...question, answer: "2" }, at(after), false],
  ])("%s", (_what, record, messages, expected) => expect(isAnswerTo(record, messages)).toBe(expected));

  test("records are read only for messages that contain a rating", async () => {
    const keys: string[] = [];
    const db = {
      get(key: string) {
        keys.push(key);
        return Promise.resolve({ ...question });
      },
    };
    expect(await isRatingAnswer(db, at(after, "Hello"))).toBe(false);
    expect(await isRatingAnswer(db, { ...at(after), message_type: "private" })).toBe(false);
    expect(keys).toEqual([]);
    expect(await isRatingAnswer(db, at(after))).toBe(true);
    expect(await isRatingAnswer(db, at(before))).toBe(false);
    expect(keys).toEqual([questionKey("c"), questionKey("c")]);
    expect(questionKey("c")).toBe("csat:c");
  });
});
