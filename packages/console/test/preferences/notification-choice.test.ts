import { expect, test } from "@jest/globals";
import { DEFAULT_CHOICE, parseNotificationChoice } from "../../src/preferences/notification-choice.ts";

test("a stored choice is read as it was stored", () => {
  const choice = { level: "mine", hasDesktop: true, hasSound: true, sound: "bright", volume: 0.25 } as const;
  expect(parseNotificationChoice(JSON.stringify(choice))).toEqual(choice);
});

test.each([null, "", "{", "null", "[]", '"text"', '{"level":"loud","hasDesktop":1,"volume":7,"sound":"horn"}'])(
  "the stored text %j gives the defaults",
  (text) => {
    expect(parseNotificationChoice(text)).toEqual(DEFAULT_CHOICE);
  },
);

test("members that are missing have their defaults", () => {
  expect(parseNotificationChoice('{"hasSound":true,"volume":0}')).toEqual({
    ...DEFAULT_CHOICE,
    hasSound: true,
    volume: 0,
  });
});
