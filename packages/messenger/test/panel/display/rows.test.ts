import { describe, expect, test } from "@jest/globals";
import type { MessengerActor } from "@parley/contract";
import { isAgentPresent, threadRowsOf } from "../../../src/panel/thread/rows.ts";
import { ADA, BOT, messageOf, outgoingOf, threadOf, VISITOR } from "./sample-data.ts";

/** A message at noon of a day, or some minutes later. */
const at = (actor: MessengerActor, minute: number, text: string, day = 5) =>
  messageOf(actor, 0, text, { created_time: new Date(2026, 2, day, 12, minute).toISOString() });

const WELCOME = [{ text: { content: "Hello" } }];

describe("the rows of a thread", () => {
  test("begin with the welcome message of the topic where no older message is left to be read", () => {
    const kinds = (thread: Parameters<typeof threadOf>[0]) =>
      threadRowsOf(threadOf(thread), WELCOME).map(({ kind }) => kind);
    const messages = [at(VISITOR, 0, "1")];
    expect(kinds({ conversation: undefined, messages: [] })).toEqual(["welcome"]);
    expect(kinds({ messages })).toEqual(["welcome", "message"]);
    expect(kinds({ messages, hasOlder: true })).toEqual(["message"]);
    expect(kinds({ messages, isLoading: true })).toEqual(["message"]);
  });

  test("group messages of one author within five minutes", () => {
    const messages = [at(ADA, 0, "1"), at(ADA, 1, "2"), at(ADA, 10, "3"), at(VISITOR, 11, "4")];
    const rows = threadRowsOf(threadOf({ messages }), []);
    expect(rows.map(({ isGroupStart, isGroupEnd }) => [isGroupStart, isGroupEnd])).toEqual([
      [true, false],
      [false, true],
      [true, true],
      [true, true],
    ]);
  });

  test("mark the beginning of each day", () => {
    const messages = [at(ADA, 0, "1", 4), at(ADA, 1, "2", 4), at(ADA, 0, "3", 6)];
    expect(threadRowsOf(threadOf({ messages }), []).map(({ isDayStart }) => isDayStart)).toEqual([true, false, true]);
  });

  test("mark the first message of others that was not read", () => {
    const messages = [messageOf(ADA, 4, "1"), messageOf(ADA, 3, "2"), messageOf(ADA, 2, "3")];
    const rows = (readBefore: string) => threadRowsOf(threadOf({ messages, readBefore }), []);
    expect(rows(messages[0]?.id ?? "").map(({ isNewStart }) => isNewStart)).toEqual([false, true, false]);
    expect(rows("unknown").some(({ isNewStart }) => isNewStart)).toBe(false);
    expect(rows(messages[2]?.id ?? "").some(({ isNewStart }) => isNewStart)).toBe(false);
  });

  test("count a message as answered once the visitor has written after it, sent or not", () => {
    const question = messageOf(ADA, 4, "1");
    const answered = (more: object) =>
      threadRowsOf(threadOf({ messages: [question], ...more }), []).map(
        (row) => row.kind === "message" && row.isAnswered,
      );
    expect(answered({})).toEqual([false]);
    expect(answered({ messages: [question, messageOf(VISITOR, 3, "2")] })).toEqual([true, false]);
    expect(answered({ outgoing: [outgoingOf("2")] })).toEqual([true, false]);
  });
});

describe("an agent is present at the end of a conversation", () => {
  test.each([
    ["an agent wrote last", [at(VISITOR, 0, "1"), at(ADA, 90, "2")], true],
    ["an agent wrote within an hour before the visitor", [at(ADA, 0, "1"), at(VISITOR, 59, "2")], true],
    ["an agent wrote more than an hour before the visitor", [at(ADA, 0, "1"), at(VISITOR, 61, "2")], false],
    ["only a bot wrote", [at(VISITOR, 0, "1"), at(BOT, 1, "2")], false],
  ])("%s", (_case, messages, isPresent) => {
    expect(isAgentPresent(messages)).toBe(isPresent);
  });
});
