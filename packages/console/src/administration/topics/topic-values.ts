import type { ChannelSetting, MessagePart } from "@parley/contract";
import { VALUES } from "../../contract-values.ts";
import { parsedAddress } from "../parsed-address.ts";
import { topicMessages as texts } from "./messages.ts";

type Welcome = NonNullable<ChannelSetting["welcome_message"]>;

/** Texts of a topic in one language. */
export interface TopicText {
  readonly locale: string;
  readonly name: string;
  /** Text of the welcome message; empty: it has none. */
  readonly welcome: string;
  /** The welcome message at present, with the parts that the form doesn't change. */
  readonly message: Welcome | undefined;
}

/** What the form of a topic holds. */
export interface TopicValues {
  /** The primary language is the first one. */
  readonly languages: readonly TopicText[];
  readonly isEnabled: boolean;
  readonly isPublic: boolean;
  /** Separated by commas. */
  readonly tags: string;
  /** Address of the icon; empty: none. */
  readonly icon: string;
}

const isText = ({ text }: MessagePart): boolean => text !== undefined;

/** -> the text of the first text part */
export const welcomeText = (parts: readonly MessagePart[] = []): string => parts.find(isText)?.text?.content ?? "";

/** -> the parts with another text in the first text part. Without a text the part is left out; the other parts keep their order. */
export const withWelcomeText = (parts: readonly MessagePart[], text: string): MessagePart[] => {
  const index = parts.findIndex(isText);
  const written: MessagePart[] = text.trim() === "" ? [] : [{ text: { content: text } }];
  return index === -1 ? [...written, ...parts] : parts.toSpliced(index, 1, ...written);
};

/** -> the parts of the welcome message that the form doesn't change */
export const otherParts = (parts: readonly MessagePart[] = []): readonly MessagePart[] => {
  const index = parts.findIndex(isText);
  return index === -1 ? parts : parts.toSpliced(index, 1);
};

export const shownParts = ({ message, welcome }: Pick<TopicText, "message" | "welcome">): readonly MessagePart[] =>
  withWelcomeText(message?.message_parts ?? [], welcome);

const textOf = (locale: string, { name, welcome_message }: Pick<ChannelSetting, "name" | "welcome_message">) => ({
  locale,
  name,
  welcome: welcomeText(welcome_message?.message_parts),
  message: welcome_message,
});

export const emptyText = (locale: string): TopicText => ({ locale, name: "", welcome: "", message: undefined });

/** @shape primary: the primary language of the account */
export const emptyTopic = (primary: string): TopicValues => ({
  languages: [emptyText(primary)],
  isEnabled: true,
  isPublic: true,
  tags: "",
  icon: "",
});

export const valuesOf = (topic: ChannelSetting, primary: string): TopicValues => ({
  languages: [
    textOf(primary, topic),
    ...Object.entries(topic.locales ?? {}).map(([locale, text]) => textOf(locale, text)),
  ],
  isEnabled: topic.enabled ?? true,
  isPublic: topic.public ?? true,
  tags: (topic.tags ?? []).join(", "),
  icon: topic.icon?.url ?? "",
});

/** -> the tags of a text, each once */
export const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean),
  ),
];

const settingTexts = (text: TopicText) => ({
  name: text.name.trim(),
  welcome_message: { ...text.message, message_parts: [...shownParts(text)] },
});

/** The complete topic. @shape id: undefined for a new one */
export const settingOf = (id: string | undefined, values: TopicValues): ChannelSetting => {
  const [primary, ...others] = values.languages;
  const icon = values.icon.trim();
  return {
    ...(id !== undefined && { id }),
    ...(primary ? settingTexts(primary) : { name: "" }),
    enabled: values.isEnabled,
    public: values.isPublic,
    tags: tagsOf(values.tags),
    icon: icon === "" ? {} : { url: icon },
    locales: Object.fromEntries(others.map((text) => [text.locale, settingTexts(text)])),
  };
};

/** -> the topics in an order, of which one may change. Others are only named, and stay as they are. */
export const topicsInOrder = (topics: readonly ChannelSetting[], changed?: ChannelSetting): ChannelSetting[] =>
  topics.map((topic) => (topic.id === changed?.id && changed ? changed : { id: topic.id ?? "", name: topic.name }));

/** The contract's limits. @units characters; tags of one topic */
const NAME_MAX = 255;
const TAG_MAX = 255;
const TAGS_MAX = 100;

/** @shape others: names of other topics in the primary language; none for another language */
export const textProblems = (
  { name, welcome }: Pick<TopicText, "name" | "welcome">,
  others: readonly string[],
): Partial<Record<"name" | "welcome", string>> => {
  const trimmed = name.trim();
  return {
    ...(trimmed.length > NAME_MAX && { name: texts.nameTooLong }),
    ...(others.includes(trimmed) && { name: texts.nameTaken }),
    ...(trimmed === "" && { name: texts.nameMissing }),
    ...(welcome.length > VALUES.limits.text_characters && { welcome: texts.welcomeTooLong }),
  };
};

const tagsProblem = (text: string): string | undefined => {
  const tags = tagsOf(text);
  if (tags.length > TAGS_MAX) return texts.tooManyTags(TAGS_MAX);
  return tags.some((tag) => tag.length > TAG_MAX) ? texts.tagTooLong : undefined;
};

/** Pictures whose addresses contain them. The service accepts no others, since they could contain scripts. */
const DATA_IMAGE = /^data:image\/(?:avif|bmp|gif|jpe?g|png|webp)[;,]/i;

/** -> the address of an icon if pages may load it: the content security policy admits no others */
export const shownIcon = (address = ""): string | undefined =>
  /^https:/i.test(address) || DATA_IMAGE.test(address) ? address : undefined;

const iconProblem = (icon: string): string | undefined => {
  const address = icon.trim();
  if (address === "") return undefined;
  if (address.length > VALUES.limits.url_characters) return texts.iconTooLong;
  const isPicture = parsedAddress(address) && (/^https?:/i.test(address) || DATA_IMAGE.test(address));
  return isPicture ? undefined : texts.iconInvalid;
};

/** @shape others: names of the other topics in the primary language */
export const problemsOf = (
  values: TopicValues,
  others: readonly string[],
): Partial<Record<keyof TopicValues, string>> => {
  const [language] = values.languages.flatMap((text, index) =>
    Object.values(textProblems(text, index === 0 ? others : [])),
  );
  const [tags, icon] = [tagsProblem(values.tags), iconProblem(values.icon)];
  return {
    ...(language !== undefined && { languages: language }),
    ...(tags !== undefined && { tags }),
    ...(icon !== undefined && { icon }),
  };
};
