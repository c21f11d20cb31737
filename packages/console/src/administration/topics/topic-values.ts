import type { ChannelSetting } from "@parley/contract";
import { VALUES } from "../../contract-values.ts";
import { ADMIN_VALUES } from "../contract-values.ts";
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
  readonly isEnabled: boolean;
  readonly isPublic: boolean;
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

/** @shape primary: the primary language of the account */
export const emptyTopic = (primary: string): TopicValues => ({
  languages: [emptyText(primary)],
  isEnabled: true,
  isPublic: true,
  tags: [],
  newTag: "",
  icon: "",
});

export const topicValuesOf = (topic: ChannelSetting, primary: string): TopicValues => ({
  languages: [
    textOf(primary, topic),
    ...Object.entries(topic.locales ?? {}).map(([locale, text]) => textOf(locale, text)),
  ],
  isEnabled: topic.enabled ?? true,
  isPublic: topic.public ?? true,
  tags: topic.tags ?? [],
  newTag: "",
  icon: topic.icon?.url ?? "",
});

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

/** The complete topic. @shape id: undefined for a new topic */
export const topicSettingOf = (id: string | undefined, values: TopicValues): ChannelSetting => {
  const [primary, ...others] = values.languages;
  const icon = values.icon.trim();
  return {
    ...(id !== undefined && { id }),
    ...(primary ? settingTexts(primary) : { name: "" }),
    enabled: values.isEnabled,
    public: values.isPublic,
    tags: tagsOf(values),
    icon: icon === "" ? {} : { url: icon },
    locales: Object.fromEntries(others.map((text) => [text.locale, settingTexts(text)])),
  };
};

/** -> the topics in an order, of which one may change. Others are only named, and stay as they are. */
export const topicsInOrder = (topics: readonly ChannelSetting[], changed?: ChannelSetting): ChannelSetting[] =>
  topics.map((topic) => (topic.id === changed?.id && changed ? changed : { id: topic.id ?? "", name: topic.name }));

const { name_characters: nameMax, channel_tags: tagsMax, tag_characters: tagMax } = ADMIN_VALUES.accountLimits;

/** @shape others: names of other topics in the primary language; empty for another language */
export const textProblems = (
  { name, rows, isUploading }: Pick<TopicText, "name" | "rows" | "isUploading">,
  others: readonly string[],
): Partial<Record<"name" | "welcome", string>> => {
  const trimmed = name.trim();
  const welcome = welcomeProblem(rows, isUploading);
  return {
    ...(trimmed.length > nameMax && { name: texts.nameTooLong(nameMax) }),
    ...(others.includes(trimmed) && { name: texts.nameTaken }),
    ...(trimmed === "" && { name: texts.nameMissing }),
    ...(welcome !== undefined && { welcome }),
  };
};

/** -> why tags are refused */
const tagsProblem = (values: Pick<TopicValues, "tags" | "newTag">): string | undefined => {
  const tags = tagsOf(values);
  if (tags.length > tagsMax) return texts.tooManyTags(tagsMax);
  return tags.some((tag) => tag.length > tagMax) ? texts.tagTooLong(tagMax) : undefined;
};

const iconProblem = (icon: string): string | undefined => {
  const address = icon.trim();
  if (address === "") return undefined;
  if (address.length > VALUES.limits.url_characters) return texts.iconTooLong;
  return isPictureAddress(address) ? undefined : texts.iconInvalid;
};

/** @shape others: names of the other topics in the primary language */
export const topicProblemsOf = (
  values: TopicValues,
  others: readonly string[],
): Partial<Record<keyof TopicValues, string>> => {
  const [language] = values.languages.flatMap((text, index) =>
    Object.values(textProblems(text, index === 0 ? others : [])),
  );
  const [tags, icon] = [tagsProblem(values), iconProblem(values.icon)];
  return {
    ...(language !== undefined && { languages: language }),
    ...(tags !== undefined && { tags }),
    ...(icon !== undefined && { icon }),
  };
};
