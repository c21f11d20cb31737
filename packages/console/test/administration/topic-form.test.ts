import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import type { ChannelSetting, MessagePart } from "@parley/contract";
import { mergedMembers } from "../../src/administration/entry-merge.ts";
import { memberLabel, topicMembersOf, valuesOfMembers } from "../../src/administration/topics/topic-members.ts";
import { formProblemsOf, formValuesOf, recordOf } from "../../src/forms/schema-form.ts";
import {
  emptyText,
  tagsOf,
  topicForm,
  topicsInOrder,
  type TopicValues,
} from "../../src/administration/topics/topic-form.ts";

const form = topicForm("en", ["Sales"]);
const topicValuesOf = (topic: ChannelSetting): TopicValues => formValuesOf(form, topic);
const topicSettingOf = (values: TopicValues): ChannelSetting => recordOf(form, values);

const text = (content: string): MessagePart => ({ text: { content } });
const image: MessagePart = { image: { url: "https://acme.example/a.png" } };

const COMPLETE: ChannelSetting = {
  name: "Inbox",
  welcome_message: { message_parts: [text("Hello"), image], message_type: "normal" },
  icon: { url: "https://acme.example/i.png" },
  enabled: false,
  public: false,
  tags: ["a", "b c"],
  locales: { de: { name: "Eingang", welcome_message: { message_parts: [text("Hallo")], message_type: "normal" } } },
};

test("a topic whose form is saved unchanged stays as it is", () => {
  expect(topicSettingOf(topicValuesOf(COMPLETE))).toEqual(COMPLETE);
});

test("a topic without anything but a name removes what it had", () => {
  expect(topicSettingOf({ ...formValuesOf(form), languages: [{ ...emptyText("en"), name: " New " }] })).toEqual({
    name: "New",
    welcome_message: { message_parts: [] },
    enabled: true,
    public: true,
    tags: [],
    icon: {},
    locales: {},
  });
});

test("topics in an order are only named, except the changed topic", () => {
  const topic = { ...COMPLETE, id: "t1" };
  const others: ChannelSetting[] = [{ id: "t0", name: "A", tags: ["x"], locales: { de: { name: "B" } } }, topic];
  expect(topicsInOrder(others)).toEqual([
    { id: "t0", name: "A" },
    { id: "t1", name: "Inbox" },
  ]);
  expect(topicsInOrder(others, topic)).toEqual([{ id: "t0", name: "A" }, topic]);
});

test.each([
  ["  ", ["a"]],
  [" a ", ["a"]],
  [" one, or two ", ["a", "one, or two"]],
])("the tags with the entered one %j are %j", (newTag, tags) => {
  expect(tagsOf({ tags: ["a"], newTag })).toEqual(tags);
});

test("changes of others in one language leave the input in another language", () => {
  const [en, de] = topicValuesOf(COMPLETE).languages;
  if (!en || !de) throw new Error("The topic has two languages.");
  const begun = topicValuesOf(COMPLETE);
  const entered = { ...begun, languages: [{ ...en, name: "Mail" }, de] };
  const present = topicValuesOf({ ...COMPLETE, locales: { fr: { name: "Boîte" } }, tags: [] });
  const { merged, conflicts } = mergedMembers(topicMembersOf(begun), topicMembersOf(entered), topicMembersOf(present));
  expect(conflicts).toEqual([]);
  expect(topicSettingOf(valuesOfMembers(merged, "en"))).toMatchObject({
    name: "Mail",
    welcome_message: COMPLETE.welcome_message,
    tags: [],
    locales: { fr: { name: "Boîte" } },
  });
  expect(topicSettingOf(valuesOfMembers(merged, "en")).locales).not.toHaveProperty("de");
  const other = topicValuesOf({ ...COMPLETE, name: "Post" });
  expect(
    mergedMembers(topicMembersOf(begun), topicMembersOf(entered), topicMembersOf(other)).conflicts.map(memberLabel),
  ).toEqual(["English: Name"]);
});

describe("a topic is refused", () => {
  const valid = topicValuesOf(COMPLETE);
  const named = (name: string) => ({ ...valid, languages: [{ ...emptyText("en"), name }] });
  test.each([
    ["without a name", named("  "), "languages"],
    ["with the name of another topic", named(" Sales "), "languages"],
    ["with a name that is too long", named("x".repeat(256)), "languages"],
    ["with a language without a name", { ...valid, languages: [...valid.languages, emptyText("fr")] }, "languages"],
    ["with a tag that is too long", { ...valid, newTag: "x".repeat(256) }, "tags"],
    ["with too many tags", { ...valid, tags: Array.from({ length: 101 }, (_, index) => `${index}`) }, "tags"],
    ["with an icon that is not an address", { ...valid, icon: "icon.png" }, "icon"],
    ["with an icon that runs scripts", { ...valid, icon: "javascript:alert(1)" }, "icon"],
    ["with an icon that is a drawing", { ...valid, icon: "data:image/svg+xml,<svg/>" }, "icon"],
  ] as const)("%s", (_name, values, place) => {
    expect(Object.keys(formProblemsOf(form, values))).toEqual([place]);
  });
  test.each(["", "https://acme.example/i.png", "data:image/png;base64,AA=="])("not with the icon %j", (icon) => {
    expect(formProblemsOf(form, { ...valid, icon })).toEqual({});
  });
  test("not with the name of another topic in another language", () => {
    const languages = [
      { ...emptyText("en"), name: "Inbox" },
      { ...emptyText("de"), name: "Sales" },
    ];
    expect(formProblemsOf(form, { ...valid, languages })).toEqual({});
  });
});
