import type { ChannelSetting } from "@parley/contract";
import { accountMessages as texts } from "./messages.ts";

/**
 * -> why a language can't become the primary language: each topic needs a name in it.
 * @shape present: the primary language at present
 */
export const primaryLanguageProblem = (
  channels: readonly Pick<ChannelSetting, "name" | "locales">[],
  { locale, present }: { readonly locale: string; readonly present: string },
): string | undefined => {
  if (locale === present) return undefined;
  const missing = channels.filter(({ locales = {} }) => !Object.hasOwn(locales, locale));
  const [first] = missing;
  return first && texts.languageMissing(first.name, missing.length - 1);
};

/** -> locales in which topics have texts, besides the primary locale */
export const localesOf = (channels: readonly Pick<ChannelSetting, "locales">[]): readonly string[] => [
  ...new Set(channels.flatMap(({ locales = {} }) => Object.keys(locales))),
];

/** Used part of the allowance. @units per cent, from 0 to 100 */
export const usedPart = ({ limit, used }: { readonly limit: number; readonly used: number }): number =>
  limit <= 0 ? 100 : Math.min(100, Math.round((used / limit) * 100));
