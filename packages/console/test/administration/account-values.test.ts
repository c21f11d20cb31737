import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import type { ChannelSetting } from "@parley/contract";
import { localesOf, primaryLanguageProblem, usedPart } from "../../src/administration/account/account-values.ts";

const TOPICS: readonly ChannelSetting[] = [
  { name: "A", locales: { de: { name: "A" }, fr: { name: "A" } } },
  { name: "B", locales: { de: { name: "B" } } },
  { name: "C", locales: { de: { name: "C" } } },
];

describe("the primary language", () => {
  const problem = (locale: string, topics = TOPICS) => primaryLanguageProblem(topics, { locale, present: "en" });
  test("can be the present language, a language in which every topic has a text, and any language without topics", () => {
    expect([problem("en"), problem("de"), problem("fr", [])]).toEqual([undefined, undefined, undefined]);
  });
  test("can't be another language; the text names the first topic and counts the others", () => {
    expect(problem("fr")).toMatch(/^The topic B and 1 other have no text/);
    expect(problem("it")).toMatch(/^The topic A and 2 others have no text/);
    expect(problem("fr", TOPICS.slice(0, 2))).toMatch(/^The topic B has no text/);
  });
  test("is offered among those in which topics have texts", () => {
    expect(localesOf(TOPICS)).toEqual(["de", "fr"]);
  });
});

test.each([
  [{ limit: 1000, used: 0 }, 0],
  [{ limit: 1000, used: 254 }, 25],
  [{ limit: 1000, used: 1000 }, 100],
  [{ limit: 1000, used: 2000 }, 100],
  [{ limit: 0, used: 0 }, 100],
])("the used part of %j is %i per cent", (calls, part) => {
  expect(usedPart(calls)).toBe(part);
});
