import { describe, expect, test } from "@jest/globals";
import type { Conversation, Message, User } from "@parley/contract";
import { isAttended } from "../../../server/lib/assignment.ts";
import { botMessage, messageMarkOf, privateNote, messageText } from "../../../server/lib/bot-message.ts";
import { quickReplies } from "../../../server/lib/quick-replies.ts";
import { listNames, byLine, problemsText } from "../../../server/lib/setting-lines.ts";
import { settingsOf } from "../../../server/lib/settings.ts";
import { languageOf, templateViewOf } from "../../../server/lib/template-view.ts";

/** Contents, marks and recipients of messages. */

const BOT = { botName: "Iris" };

describe("a message of the bot", () => {
  const expectedMessage = {
    actor_type: "bot",
    message_type: "normal",
    message_parts: [{ text: { content: "Hello" } }],
    meta_data: { bot_name: "Iris", concierge: "greeting" },
  };
  test("has the bot's name, a mark and a text", () => {
    expect(botMessage(BOT, "greeting", "Hello")).toEqual(expectedMessage);
    expect(botMessage(BOT, "greeting", "Hello", [])).toEqual(expectedMessage);
  });
  test("offers quick replies", () => {
    expect(botMessage(BOT, "greeting", "Hello", quickReplies(["Yes", "No"]))).toEqual({
      ...expectedMessage,
      reply_parts: [
        {
          collection: {
            sub_parts: [
              { quick_reply_button: { label: "Yes", payload: "Yes" } },
              { quick_reply_button: { label: "No", payload: "No" } },
            ],
          },
        },
      ],
    });
  });
  test("is visible to agents only as a private note", () => {
    expect(privateNote(BOT, "greeting", "Hello")).toEqual({ ...expectedMessage, message_type: "private" });
  });
});

test.each<[Partial<Message>, string | undefined]>([
  [{ actor_type: "bot", meta_data: { concierge: "away" } }, "away"],
  [{ actor_type: "bot", meta_data: {} }, undefined],
  [{ actor_type: "bot" }, undefined],
  [{ actor_type: "bot", meta_data: { concierge: 3 as unknown as string } }, undefined],
  [{ actor_type: "user", meta_data: { concierge: "away" } }, undefined],
])("%j has the mark %p", (message, mark) => {
  expect(messageMarkOf(message as Message)).toBe(mark);
});

test.each<[Partial<Message>, string | undefined]>([
  [{ actor_type: "user", message_parts: [{ text: { content: "Hi" } }] }, "Hi"],
  [
    { actor_type: "user", message_parts: [{ image: { url: "https://x.example/a" } }, { text: { content: "Hi" } }] },
    "Hi",
  ],
  [{ actor_type: "user", message_parts: [{ text: { content: "a" } }, { text: { content: "b" } }] }, undefined],
  [{ actor_type: "user", message_parts: [] }, undefined],
  [{ actor_type: "agent", message_parts: [{ text: { content: "Hi" } }] }, undefined],
])("%j has the text %p", (message, text) => {
  expect(messageText(message as Message)).toBe(text);
});

test.each<[Partial<Conversation>, boolean]>([
  [{ status: "new" }, false],
  [{ status: "new", assigned_agent_id: "" }, false],
  [{ status: "assigned", assigned_agent_id: "a-1" }, true],
  [{ status: "resolved" }, true],
  [{ status: "reopened" }, false],
])("%j is handled by a person or closed: %s", (conversation, isIt) => {
  expect(isAttended(conversation as Conversation)).toBe(isIt);
});

describe("problems and lists of names", () => {
  test("are listed one per line, in the order of the lines", () => {
    const problems = [
      { line: 10, message: "b" },
      { line: 9, message: "a" },
    ];
    expect(problemsText(problems.toSorted(byLine))).toBe("Line 9: a\nLine 10: b");
    expect(problemsText([])).toBeUndefined();
  });
  test("show the first twelve of many names", () => {
    const names = Array.from({ length: 14 }, (_, index) => `n${index + 1}`);
    expect(listNames(names.slice(0, 12))).toBe(names.slice(0, 12).join(", "));
    expect(listNames(names.slice(0, 13))).toBe(`${names.slice(0, 12).join(", ")} and 1 more`);
    expect(listNames(names)).toBe(`${names.slice(0, 12).join(", ")} and 2 more`);
  });
});

describe("the values of templates", () => {
  const at = (time: string, zone = "UTC") =>
    templateViewOf({ ...settingsOf({}), timeZone: zone }, {}, new Date(`2027-03-02T${time}Z`)).time;

  test.each([
    ["04:59:59", "night", 4],
    ["05:00:00", "morning", 5],
    ["11:59:59", "morning", 11],
    ["12:00:00", "afternoon", 12],
    ["17:59:59", "afternoon", 17],
    ["18:00:00", "evening", 18],
    ["23:59:59", "evening", 23],
    ["00:00:00", "night", 0],
  ])("at %s the part of the day is %s", (time, of_day, hour) => {
    expect(at(time)).toEqual({ of_day, [of_day]: true, hour, weekday: "Tuesday", date: "2027-03-02" });
  });
  test("depend on the time zone", () => {
    expect(at("23:30:00", "Europe/Berlin")).toMatchObject({ hour: 0, weekday: "Wednesday", date: "2027-03-03" });
  });

  const user = (name: string, value: string) => ({
    properties: [
      { name: "plan", value: "Pro" },
      { name, value },
    ],
  });
  test.each([
    [{ user: user("language", "de") }, "de"],
    [{ user: user("Locale", " pt-BR ") }, "pt"],
    [{ user: user("lang", "EN_us") }, "en"],
    [{ user: user("language", "german") }, undefined],
    [{ user: user("language", "1de") }, undefined],
    [{ user: user("plan", "de") }, undefined],
    [{ user: user("language", "de"), channel: { locale: "fr" } }, "de"],
    [{ channel: { locale: "fr" } }, "fr"],
    [{ user: {}, channel: {} }, undefined],
    [{}, undefined],
  ])("%j has the language %p", (subject, language) => {
    expect(languageOf(subject)).toBe(language);
  });

  test("contain the customer's properties by name and the language as a condition", () => {
    const subject = { user: user("language", "de") as Partial<User>, channel: { name: "Sales" } };
    const view = templateViewOf(settingsOf({ business_email: "shop@example.com" }), subject, new Date(0), {
      choice: { label: "x" },
    });
    expect(view).toMatchObject({
      user: { properties: { plan: "Pro", language: "de" } },
      channel: { name: "Sales" },
      bot: { name: "Concierge" },
      business: { email: "shop@example.com", phone: "" },
      locale: { code: "de", de: true },
      choice: { label: "x" },
    });
    expect(templateViewOf(settingsOf({}), { user: {} }, new Date(0)).user).toEqual({ properties: {} });
    expect(templateViewOf(settingsOf({}), {}, new Date(0))).toMatchObject({ user: undefined, locale: undefined });
  });
});
