import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import type { ChannelSetting, MessagePart } from "@parley/contract";
import {
  emptyText,
  emptyTopic,
  otherParts,
  problemsOf,
  settingOf,
  tagsOf,
  topicsInOrder,
  valuesOf,
  welcomeText,
  withWelcomeText,
} from "../../src/administration/topics/topic-values.ts";

const text = (content: string): MessagePart => ({ text: { content } });
const image: MessagePart = { image: { url: "https://acme.example/a.png" } };
const button: MessagePart = { url_button: { url: "https://acme.example", label: "Shop" } };

describe("the text of a welcome message", () => {
  test.each([
    ["of one part", [text("a")], "b", [text("b")]],
    ["between other parts", [image, text("a"), button], "b", [image, text("b"), button]],
    ["that is the first of two", [text("a"), text("z")], "b", [text("b"), text("z")]],
    ["that is new", [image], "b", [text("b"), image]],
    ["that is removed", [image, text("a"), button], " ", [image, button]],
    ["that is the only part and is removed", [text("a")], "", []],
  ])("%s is changed without the other parts", (_name, parts, changed, expected) => {
    expect(withWelcomeText(parts, changed)).toEqual(expected);
  });

  test("is that of the first text part", () => {
    expect([welcomeText([image, text("a"), text("b")]), welcomeText([image]), welcomeText()]).toEqual(["a", "", ""]);
    expect(otherParts([image, text("a"), text("b")])).toEqual([image, text("b")]);
  });
});

const COMPLETE: ChannelSetting = {
  id: "t1",
  name: "Inbox",
  welcome_message: { message_parts: [text("Hello"), image], message_type: "normal" },
  icon: { url: "https://acme.example/i.png" },
  enabled: false,
  public: false,
  tags: ["a", "b c"],
  locales: { de: { name: "Eingang", welcome_message: { message_parts: [text("Hallo")], message_type: "normal" } } },
};

test("a topic whose form is saved unchanged stays as it is", () => {
  expect(settingOf("t1", valuesOf(COMPLETE, "en"))).toEqual(COMPLETE);
});

test("a topic without anything but a name removes what it had", () => {
  expect(settingOf(undefined, { ...emptyTopic("en"), languages: [{ ...emptyText("en"), name: " New " }] })).toEqual({
    name: "New",
    welcome_message: { message_parts: [] },
    enabled: true,
    public: true,
    tags: [],
    icon: {},
    locales: {},
  });
});

test("topics in an order are only named, but for the changed one", () => {
  const others: ChannelSetting[] = [{ id: "t0", name: "A", tags: ["x"], locales: { de: { name: "B" } } }, COMPLETE];
  expect(topicsInOrder(others)).toEqual([
    { id: "t0", name: "A" },
    { id: "t1", name: "Inbox" },
  ]);
  expect(topicsInOrder(others, COMPLETE)).toEqual([{ id: "t0", name: "A" }, COMPLETE]);
});

test.each([
  ["", []],
  [" a , b,,a ", ["a", "b"]],
  ["two words", ["two words"]],
])("the tags of %j are %j", (written, tags) => {
  expect(tagsOf(written)).toEqual(tags);
});

describe("a topic is refused", () => {
  const valid = valuesOf(COMPLETE, "en");
  const named = (name: string) => ({ ...valid, languages: [{ ...emptyText("en"), name }] });
  test.each([
    ["without a name", named("  "), "languages"],
    ["with the name of another one", named(" Sales "), "languages"],
    ["with a name that is too long", named("x".repeat(256)), "languages"],
    ["with a language without a name", { ...valid, languages: [...valid.languages, emptyText("fr")] }, "languages"],
    ["with a tag that is too long", { ...valid, tags: "x".repeat(256) }, "tags"],
    ["with too many tags", { ...valid, tags: Array.from({ length: 101 }, (_, index) => index).join(",") }, "tags"],
    ["with an icon that is no address", { ...valid, icon: "icon.png" }, "icon"],
    ["with an icon that runs scripts", { ...valid, icon: "javascript:alert(1)" }, "icon"],
    ["with an icon that is a drawing", { ...valid, icon: "data:image/svg+xml,<svg/>" }, "icon"],
  ] as const)("%s", (_name, values, place) => {
    expect(Object.keys(problemsOf(values, ["Sales"]))).toEqual([place]);
  });
  test.each(["", "https://acme.example/i.png", "data:image/png;base64,AA=="])("not with the icon %j", (icon) => {
    expect(problemsOf({ ...valid, icon }, ["Sales"])).toEqual({});
  });
  test("not with the name of another one in another language", () => {
    const languages = [
      { ...emptyText("en"), name: "Inbox" },
      { ...emptyText("de"), name: "Sales" },
    ];
    expect(problemsOf({ ...valid, languages }, ["Sales"])).toEqual({});
  });
});
