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
  attachment_input: (content, texts) => attributeTexts(content) || texts.attachmentInput,
  reference: (content, texts) => attributeTexts(content) || texts.reference,
  text_input: (content, texts) => attributeTexts(content) || texts.textInput,
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
