import type { ChannelSetting } from "@parley/contract";
import { valueProblem, type SchemaForm } from "../../forms/schema-form.ts";
import { ICON_SCHEMA, TOPIC_SCHEMA } from "./contract-values.ts";
import { topicMessages as texts } from "./messages.ts";
import { isPictureAddress, messagePartsOf, partRowsOf, welcomeProblem, type PartRow } from "./welcome-parts.ts";

type Welcome = NonNullable<ChannelSetting["welcome_message"]>;

/** Texts of a topic in one language. */
export interface TopicText {
  readonly locale: string;
  readonly name: string;
  /** The welcome message; a list without parts means no message. */
  readonly rows: readonly PartRow[];
  /** Kind of the welcome message at present, which the form doesn't change. */
  readonly messageType: Welcome["message_type"];
  /** Whether files for the welcome message are being uploaded. */
  readonly isUploading: boolean;
}

/** Values of the form of a topic. */
export interface TopicValues {
  /** The primary language comes first. */
  readonly languages: readonly TopicText[];
  readonly enabled: boolean;
  readonly public: boolean;
  readonly tags: readonly string[];
  /** A tag that was entered and not added yet; it is saved, too. */
  readonly newTag: string;
  /** Address of the icon; empty without an icon. */
  readonly icon: string;
}

const textOf = (locale: string, { name, welcome_message }: Pick<ChannelSetting, "name" | "welcome_message">) => ({
  locale,
  name,
  rows: partRowsOf(welcome_message?.message_parts),
  messageType: welcome_message?.message_type,
  isUploading: false,
});

export const emptyText = (locale: string): TopicText => textOf(locale, { name: "" });

/** -> the tags with the entered tag */
export const tagsOf = ({ tags, newTag }: Pick<TopicValues, "tags" | "newTag">): string[] => {
  const typed = newTag.trim();
  return typed === "" || tags.includes(typed) ? [...tags] : [...tags, typed];
};

const settingTexts = ({ name, rows, messageType }: TopicText) => ({
  name: name.trim(),
  welcome_message: {
    message_parts: messagePartsOf(rows),
    ...(messageType !== undefined && { message_type: messageType }),
  },
});

/** -> the topics in an order, of which one may change. Others are only named, and stay as they are. */
export const topicsInOrder = (topics: readonly ChannelSetting[], changed?: ChannelSetting): ChannelSetting[] =>
  topics.map((topic) => (topic.id === changed?.id && changed ? changed : { id: topic.id ?? "", name: topic.name }));

/** @shape others: names of other topics in the primary language; empty for another language */
export const textProblems = (
  { name, rows, isUploading }: Pick<TopicText, "name" | "rows" | "isUploading">,
  others: readonly string[],
): Partial<Record<"name" | "welcome", string>> => {
  const trimmed = name.trim();
  const taken = others.includes(trimmed) ? texts.nameTaken : undefined;
  const nameProblem = valueProblem(TOPIC_SCHEMA.name, trimmed, { missing: texts.nameMissing }) ?? taken;
  const welcome = welcomeProblem(rows, isUploading);
  return {
    ...(nameProblem !== undefined && { name: nameProblem }),
    ...(welcome !== undefined && { welcome }),
  };
};

const iconProblem = (icon: string): string | undefined => {
  if (icon === "") return undefined;
  const fault = valueProblem(ICON_SCHEMA.url, icon, {});
  return fault ?? (isPictureAddress(icon) ? undefined : texts.iconInvalid);
};

/** The form of a topic. @shape primary: the primary language of the account; others: names of the other topics in this language */
export const topicForm = (primary: string, others: readonly string[]): SchemaForm<ChannelSetting, TopicValues> => ({
  schema: TOPIC_SCHEMA,
  members: {
    languages: {
      label: texts.languages,
      initial: [emptyText(primary)],
      from: ({ locales = {}, ...topic }) => [
        textOf(primary, topic),
        ...Object.entries(locales).map(([locale, text]) => textOf(locale, text)),
      ],
      to: ([first = emptyText(primary), ...further]) => ({
        ...settingTexts(first),
        locales: Object.fromEntries(further.map((text) => [text.locale, settingTexts(text)])),
      }),
      check: (languages) =>
        languages.flatMap((text, index) => Object.values(textProblems(text, index === 0 ? others : [])))[0],
    },
    enabled: { label: texts.enabled, help: texts.enabledHelp, initial: true },
    public: { label: texts.public, help: texts.publicHelp, initial: true },
    tags: {
      label: texts.tags,
      to: (_tags, values) => ({ tags: tagsOf(values) }),
      check: (_tags, values) => valueProblem(TOPIC_SCHEMA.tags, tagsOf(values), {}),
    },
    // The field of the tags has it, too.
    newTag: { label: texts.tags, isShown: () => false, to: () => ({}) },
    icon: {
      label: texts.icon,
      help: texts.iconHelp,
      from: ({ icon }) => icon?.url,
      to: (url) => ({ icon: url === "" ? {} : { url } }),
      check: iconProblem,
    },
  },
});
