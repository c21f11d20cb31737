import {
  BLANK_TEXT_REASON,
  isBlank,
  Message,
  INVALID_MESSAGE_PARTS,
  type MessagePart,
  type MessagePartKey,
  type NewMessage,
  PART_PLACEMENT,
  refuse,
  REPLY_TEMPLATES,
  RESPONSE_ONLY_PARTS,
  TEMPLATES,
  type TemplateSection,
} from "@parley/contract";
import { serializerOf } from "../../http/serializer.ts";
import { unsafeUrlReason } from "../../http/safe-url.ts";

/** Serializes a message. The stored text is the reply, so members outside the schema are dropped. */
export const messageJson = serializerOf(Message);

type Template = NonNullable<MessagePart["template_content"]>;
type List = "message_parts" | "reply_parts";

const refusePart = (path: string, reason: string): never => refuse(INVALID_MESSAGE_PARTS, `${path} ${reason}.`);

const keyOf = (part: MessagePart) => Object.keys(part)[0] as MessagePartKey;

const URL_USES = { image: "image", video: "media", file: "media", url_button: "link" } as const;

/** @errors INVALID_MESSAGE_PARTS for a URL that could execute code where the message is displayed */
const checkUrls = (part: MessagePart, place: string): void => {
  for (const key of ["image", "video", "file", "url_button"] as const) {
    const url = part[key]?.url;
    const fault = url === undefined ? undefined : unsafeUrlReason(url, URL_USES[key]);
    if (fault !== undefined) refusePart(`${place}.${key}.url`, fault);
  }
};

/** The texts of a part that people read and that the part needs. */
const textsOf = ({ text, url_button, quick_reply_button, callback, help_text }: MessagePart) => ({
  "text.content": text?.content,
  "url_button.label": url_button?.label,
  "quick_reply_button.label": quick_reply_button?.label,
  "callback.label": callback?.label,
  "help_text.content": help_text?.content,
});

/** @errors INVALID_MESSAGE_PARTS for a blank text */
const checkTexts = (part: MessagePart, place: string): void => {
  for (const [member, text] of Object.entries(textsOf(part)))
    if (text !== undefined && isBlank(text)) refusePart(`${place}.${member}`, BLANK_TEXT_REASON);
};

/** Checks the kind of each part of a list; `nested` checks the parts that contain others. */
const walk = (
  parts: readonly MessagePart[],
  path: string,
  allowed: readonly MessagePartKey[],
  nested: (part: MessagePart, path: string) => void,
) => {
  for (const [index, part] of parts.entries()) {
    const place = `${path}[${index}]`;
    const key = keyOf(part);
    if (RESPONSE_ONLY_PARTS.includes(key)) refusePart(place, `may not be ${key}: it stands in responses only`);
    if (!allowed.includes(key)) refusePart(place, `may not be ${key} here: it may be ${allowed.join(", ")}`);
    checkTexts(part, place);
    checkUrls(part, place);
    nested(part, place);
  }
};

const leaf = () => undefined;

const checkSection = (
  { parts }: Template["sections"][number],
  path: string,
  { parts: allowed, templates = [] }: TemplateSection,
) =>
  walk(parts, `${path}.parts`, allowed, ({ template_content }, place) => {
    if (template_content) checkTemplate(template_content, `${place}.template_content`, templates);
  });

const checkTemplate = ({ type, sections }: Template, path: string, allowed: readonly string[]): void => {
  if (!allowed.includes(type)) refusePart(`${path}.type`, `must be one of ${allowed.join(", ")}`);
  const sectionRules: Readonly<Record<string, TemplateSection>> = TEMPLATES[type as keyof typeof TEMPLATES];
  const seen = new Set<string>();
  for (const [index, section] of sections.entries()) {
    const place = `${path}.sections[${index}]`;
    const rule = Object.hasOwn(sectionRules, section.name) ? sectionRules[section.name] : undefined;
    if (!rule) return refusePart(`${place}.name`, `must be one of ${Object.keys(sectionRules).join(", ")}`);
    if (seen.has(section.name)) refusePart(`${place}.name`, `repeats the section ${section.name}`);
    if (section.parts.length > 0) seen.add(section.name);
    checkSection(section, place, rule);
  }
  const missing = Object.entries(sectionRules).find(([name, { required }]) => required && !seen.has(name));
  if (missing) refusePart(`${path}.sections`, `must hold the section ${missing[0]} with a part`);
};

const checkCollection = (list: List, sub_parts: readonly MessagePart[], path: string) => {
  if (sub_parts.length === 0) refusePart(path, "must hold at least one part");
  walk(sub_parts, path, PART_PLACEMENT[`${list} > collection`], leaf);
};

const checkList = (list: List, parts: readonly MessagePart[]) =>
  walk(parts, list, PART_PLACEMENT[list], (part, place) => {
    if (part.collection) checkCollection(list, part.collection.sub_parts, `${place}.collection.sub_parts`);
    if (part.template_content) checkTemplate(part.template_content, `${place}.template_content`, REPLY_TEMPLATES);
    if (part.file && (part.file.url === undefined) === (part.file.file_hash === undefined))
      refusePart(`${place}.file`, "must have exactly one of url and file_hash");
  });

/**
 * Refuses a part in a place where its kind is not allowed. Nesting is declared per place, which bounds the depth.
 * @spec Resources and their fields > Message part object
 * @errors INVALID_MESSAGE_PARTS
 * @assumed A message needs at least one message part, a section that its template requires at least one part. Texts
 * and labels that a part needs must not be blank.
 */
export const checkMessageParts = ({ message_parts = [], reply_parts, actor_type }: NewMessage): void => {
  if (message_parts.length === 0) refusePart("message_parts", "must hold at least one part");
  checkList("message_parts", message_parts);
  if (reply_parts === undefined || reply_parts.length === 0) return;
  if (actor_type !== "agent" && actor_type !== "bot")
    refusePart("reply_parts", "may be sent by an agent or a bot only");
  checkList("reply_parts", reply_parts);
};
