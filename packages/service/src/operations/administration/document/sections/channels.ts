import {
  ACCOUNT_PATTERNS,
  type Template,
  INVALID_MESSAGE_PARTS,
  INVALID_VALUE,
  isRefusal,
  refuse,
  type ChannelSetting,
} from "@parley/contract";
import { refuseChange, type SectionMerge, type SectionRules } from "./section.ts";
import { templateId, type AccountTemplate, type ChannelTopic, type ChannelText } from "./state.ts";
import { unsafeUrlReason } from "../../../../http/safe-url.ts";
import { checkMessageParts } from "../../../../messaging/conversations/message-parts.ts";

const PLACEHOLDER = new RegExp(ACCOUNT_PATTERNS.placeholder, "g");
const PLACEHOLDER_NUMBER = new RegExp(ACCOUNT_PATTERNS.placeholder_number);

/** @errors INVALID_VALUE if the numbers of the placeholders are not consecutive from 1 */
const checkPlaceholders = (text: string, place: string) => {
  const numbers = new Set([...text.matchAll(PLACEHOLDER)].map(([, placeholder = ""]) => placeholder));
  for (const placeholder of numbers)
    if (!PLACEHOLDER_NUMBER.test(placeholder) || Number(placeholder) > numbers.size)
      refuseChange(place, `must number its placeholders {{1}}, {{2}} and so on: {{${placeholder}}} does not fit`);
};

/** A template of the document replaces the present template completely. */
export const templateRules: SectionRules<Template, AccountTemplate> = {
  section: "templates",
  nameOf: ({ namespace, name, language }) => `${namespace}/${name} (${language})`,
  matches: (item, { id }) => templateId(item) === id,
  merge: (_, item, { place }) => {
    const { header, body, buttons = [] } = item;
    if (header?.type === "text" && header.text === undefined) refuseChange(`${place}.header.text`, "is mandatory here");
    if (header && header.type !== "text" && header.text !== undefined)
      refuseChange(
        `${place}.header.text`,
        `may not be given for ${header.type}: the picture or file comes with each message`,
      );
    if (header?.text !== undefined) checkPlaceholders(header.text, `${place}.header.text`);
    checkPlaceholders(body.text, `${place}.body.text`);
    for (const [index, { url }] of buttons.entries()) {
      const at = `${place}.buttons[${index}].url`;
      checkPlaceholders(url, at);
      const fault = unsafeUrlReason(url.replaceAll(PLACEHOLDER, "1"), "link");
      if (fault !== undefined) refuseChange(at, fault);
    }
    return { ...item, id: templateId(item) };
  },
};

const LOCALE = new RegExp(ACCOUNT_PATTERNS.locale);

const checkWelcome = (welcome: NonNullable<ChannelSetting["welcome_message"]>, place: string) => {
  const hashed = welcome.message_parts.findIndex(({ file }) => file?.file_hash !== undefined);
  if (hashed !== -1)
    refuseChange(
      `${place}.message_parts[${hashed}].file.file_hash`,
      "may not be given: give the url of the file, which the upload returns as well",
    );
  try {
    checkMessageParts({ message_parts: welcome.message_parts, actor_type: "agent" });
  } catch (error) {
    if (isRefusal(error) && error.problem.status === INVALID_MESSAGE_PARTS.status)
      refuse(INVALID_VALUE, `${place}.${error.message}`);
    throw error;
  }
};

/** An empty list of parts removes the welcome message. */
const channelTextOf = (
  present: ChannelText | undefined,
  { name, welcome_message }: Pick<ChannelSetting, "name" | "welcome_message">,
  place: string,
): ChannelText => {
  if (!welcome_message) return { ...present, name };
  if (welcome_message.message_parts.length === 0) return { name };
  checkWelcome(welcome_message, `${place}.welcome_message`);
  return { name, welcome_message: { message_type: "normal", ...welcome_message } };
};

const iconOf = ({ icon }: ChannelSetting, place: string): ChannelSetting["icon"] => {
  const fault = icon?.url === undefined ? undefined : unsafeUrlReason(icon.url, "image");
  if (fault !== undefined) refuseChange(`${place}.icon.url`, fault);
  return icon;
};

const textsOf = (
  present: ChannelTopic["texts"],
  item: ChannelSetting,
  { place, prune, pruneOmitted, primary }: Pick<SectionMerge, "place" | "prune" | "pruneOmitted"> & { primary: string },
): ChannelTopic["texts"] => {
  const others = Object.entries(item.locales ?? {}).map(([locale, text]) => {
    const at = `${place}.locales.${locale}`;
    if (!LOCALE.test(locale)) refuseChange(at, "is not a locale such as es or pt-BR");
    if (locale === primary)
      refuseChange(at, "is the account's primary language: its texts stand in the channel itself");
    return [locale, channelTextOf(present[locale], text, at)] as const;
  });
  const remainingTexts = pruneOmitted || (prune && item.locales) ? {} : present;
  return { ...remainingTexts, [primary]: channelTextOf(present[primary], item, place), ...Object.fromEntries(others) };
};

/** Channels are matched by their name in the primary language, or in the previous primary language. */
export const channelRules = (
  { primary, before, now }: { readonly primary: string; readonly before: string; readonly now: Date },
  count: number,
): SectionRules<ChannelSetting, ChannelTopic> => ({
  section: "channels",
  isOrdered: true,
  nameOf: ({ texts, id }) => (texts[primary] ?? texts[before])?.name ?? id,
  matches: ({ name }, { texts }) => (texts[primary] ?? texts[before])?.name === name,
  merge: (present, item, { place, prune, pruneOmitted, newId, index }) => ({
    id: present?.id ?? item.id?.toLowerCase() ?? newId(),
    // Times are one millisecond apart, so that lists sorted by this time have the order of the document.
    updated_time: new Date(now.getTime() - count + index).toISOString(),
    icon: iconOf(item, place) ?? present?.icon ?? {},
    enabled: item.enabled ?? present?.enabled ?? true,
    public: item.public ?? present?.public ?? true,
    tags: item.tags ?? present?.tags ?? [],
    texts: textsOf(present?.texts ?? {}, item, { place, prune, pruneOmitted, primary }),
  }),
  membersOf: ({ icon, enabled, public: shown, tags, texts }) => ({
    icon,
    enabled,
    public: shown,
    tags,
    ...Object.fromEntries(Object.entries(texts).map(([locale, text]) => [`texts.${locale}`, text])),
  }),
});

/** @errors INVALID_VALUE if a topic has no text in the primary language */
export const checkPrimary = (topics: readonly ChannelTopic[], primary: string): void => {
  const untranslated = topics.find(({ texts }) => !texts[primary]);
  if (!untranslated) return;
  const [some] = Object.values(untranslated.texts);
  refuseChange(
    "primary_locale",
    `can't be ${primary}: the channel ${some?.name ?? untranslated.id} has no text in that language`,
  );
};
