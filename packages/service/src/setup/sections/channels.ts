import { INVALID_MESSAGE_PARTS, INVALID_VALUE, isRefusal, refuse, type ChannelSetting } from "@parley/contract";
import { urlFault } from "../../http/safe-url.ts";
import { checkParts } from "../../messages/parts.ts";
import { deny, type SectionRules } from "../section.ts";
import type { Topic, Words } from "../state.ts";

const LOCALE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

const checkWelcome = (welcome: NonNullable<ChannelSetting["welcome_message"]>, place: string) => {
  try {
    checkParts({ message_parts: welcome.message_parts, actor_type: "agent" });
  } catch (error) {
    if (isRefusal(error) && error.problem.status === INVALID_MESSAGE_PARTS.status)
      refuse(INVALID_VALUE, `${place}.${error.message}`);
    throw error;
  }
};

/** An empty list of parts takes the welcome message away. */
const wordsOf = (
  present: Words | undefined,
  { name, welcome_message }: Pick<ChannelSetting, "name" | "welcome_message">,
  place: string,
): Words => {
  if (!welcome_message) return { ...present, name };
  if (welcome_message.message_parts.length === 0) return { name };
  checkWelcome(welcome_message, `${place}.welcome_message`);
  return { name, welcome_message: { message_type: "normal", ...welcome_message } };
};

const iconOf = ({ icon }: ChannelSetting, place: string): ChannelSetting["icon"] => {
  const fault = icon?.url === undefined ? undefined : urlFault(icon.url, "image");
  if (fault !== undefined) deny(`${place}.icon.url`, fault);
  return icon;
};

const textsOf = (
  present: Topic["texts"],
  item: ChannelSetting,
  { place, prune, primary }: { readonly place: string; readonly prune: boolean; readonly primary: string },
): Topic["texts"] => {
  const others = Object.entries(item.locales ?? {}).map(([locale, words]) => {
    const at = `${place}.locales.${locale}`;
    if (!LOCALE.test(locale)) deny(at, "is no locale such as es or pt-BR");
    if (locale === primary) deny(at, "is the account's primary language: its texts stand in the channel itself");
    return [locale, wordsOf(present[locale], words, at)] as const;
  });
  const kept = prune ? {} : present;
  return { ...kept, [primary]: wordsOf(present[primary], item, place), ...Object.fromEntries(others) };
};

/** Found by their name in the primary language, also in the one that was it before. */
export const channelRules = (
  { primary, before, now }: { readonly primary: string; readonly before: string; readonly now: Date },
  count: number,
): SectionRules<ChannelSetting, Topic> => ({
  section: "channels",
  nameOf: ({ texts, id }) => (texts[primary] ?? texts[before])?.name ?? id,
  means: ({ name }, { texts }) => (texts[primary] ?? texts[before])?.name === name,
  merge: (present, item, { place, prune, newId, index }) => ({
    id: present?.id ?? item.id?.toLowerCase() ?? newId(),
    // A millisecond apart: lists that are sorted by it show the document's order.
    updated_time: new Date(now.getTime() - count + index).toISOString(),
    icon: iconOf(item, place) ?? present?.icon ?? {},
    enabled: item.enabled ?? present?.enabled ?? true,
    public: item.public ?? present?.public ?? true,
    tags: item.tags ?? present?.tags ?? [],
    texts: textsOf(present?.texts ?? {}, item, { place, prune, primary }),
  }),
  membersOf: ({ icon, enabled, public: shown, tags, texts }) => ({
    icon,
    enabled,
    public: shown,
    tags,
    ...Object.fromEntries(Object.entries(texts).map(([locale, words]) => [`texts.${locale}`, words])),
  }),
});

/** @errors INVALID_VALUE for a topic that nothing is written of in the primary language */
export const checkPrimary = (topics: readonly Topic[], primary: string): void => {
  const mute = topics.find(({ texts }) => !texts[primary]);
  if (!mute) return;
  const [some] = Object.values(mute.texts);
  deny("primary_locale", `can't be ${primary}: the channel ${some?.name ?? mute.id} has no text in that language`);
};
