import type { MessagePart, MessagePartKey } from "@parley/contract";
import { visibleName, visibleText } from "@parley/contract/display";
import type { Texts } from "../texts/texts.ts";

type Content<K extends MessagePartKey> = NonNullable<MessagePart[K]>;

/** Texts of a part whose attributes are not specified. */
const ATTRIBUTE_CHARACTERS_MAX = 400;

/** -> the texts among the attributes of a part without a known shape */
export const attributeTexts = (content: unknown): string =>
  Object.values(typeof content === "object" && content !== null ? content : { content })
    .filter((value) => typeof value === "string")
    .map(visibleName)
    .filter((text) => text !== "")
    .join(" · ")
    .slice(0, ATTRIBUTE_CHARACTERS_MAX);

/** What the attributes of an `attachment_input`, `text_input` or `reference` say. */
interface InputAttributes {
  readonly title: string;
  readonly text: string;
  readonly address: string | undefined;
}

/**
 * @assumed Names of the attributes, in the order in which they are looked for. Attributes with other names are shown only if none of these has a text.
 */
const ATTRIBUTE_NAMES = {
  title: ["title", "label", "name"],
  text: ["text", "content", "description", "placeholder"],
  address: ["url", "link", "href"],
} as const;

/** -> the texts of attributes that can have any names and values */
export const inputAttributes = (content: unknown): InputAttributes => {
  const values = typeof content === "object" && content !== null ? (content as Readonly<Record<string, unknown>>) : {};
  const firstOf = (names: readonly string[]): string | undefined =>
    names
      .map((name) => (Object.hasOwn(values, name) ? values[name] : undefined))
      .find((value): value is string => typeof value === "string" && visibleName(value) !== "");
  const address = firstOf(ATTRIBUTE_NAMES.address);
  const title = visibleName(firstOf(ATTRIBUTE_NAMES.title) ?? "").slice(0, ATTRIBUTE_CHARACTERS_MAX);
  const text = visibleText(firstOf(ATTRIBUTE_NAMES.text) ?? "").slice(0, ATTRIBUTE_CHARACTERS_MAX);
  if (title !== "" || text !== "") return { title, text, address };
  const others = Object.entries(values).filter(([, value]) => value !== address);
  return { title, text: attributeTexts(Object.fromEntries(others)), address };
};

/** -> the attributes in one line */
const inputText = (content: unknown): string => {
  const { title, text } = inputAttributes(content);
  return [title, text].filter((each) => each !== "").join(" · ");
};

const TEXTS: { readonly [K in MessagePartKey]: (content: Content<K>, texts: Texts) => string } = {
  text: ({ content }) => visibleText(content),
  image: (_, { picture }) => picture,
  video: (_, { video }) => video,
  file: ({ name }, { file }) => visibleName(name ?? "") || file,
  collection: ({ sub_parts }, texts) => readableText(sub_parts, texts),
  url_button: ({ label }) => visibleName(label),
  quick_reply_button: ({ label }) => visibleName(label),
  template_content: ({ sections }, texts) => sections.map(({ parts }) => readableText(parts, texts)).join(" "),
  callback: ({ label }) => visibleName(label),
  help_text: ({ content }) => visibleText(content),
  attachment_input: (content, texts) => inputText(content) || texts.attachmentInput,
  reference: (content, texts) => inputText(content) || texts.reference,
  text_input: (content, texts) => inputText(content) || texts.textInput,
};

const textOf = <K extends MessagePartKey>(key: K, part: MessagePart, texts: Texts): string => {
  const content = part[key];
  if (content === undefined || content === null) return "";
  return Object.hasOwn(TEXTS, key) ? TEXTS[key](content, texts) : attributeTexts(content) || texts.unknownPart;
};

/** -> parts as one plain text: for previews and screen readers */
export const readableText = (parts: readonly MessagePart[], texts: Texts): string =>
  parts
    .map((part) => textOf((Object.keys(part)[0] ?? "") as MessagePartKey, part, texts))
    .filter((text) => text !== "")
    .join(" ");
