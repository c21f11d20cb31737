import { createSetting, type Setting } from "../state/setting.ts";

export const RECENT_SEARCHES_MAX = 8;

/** -> the list with a text at its beginning, once, and bounded; another case is the same text */
export const withRecentSearch = (texts: readonly string[], text: string): readonly string[] => {
  const added = text.trim();
  if (added === "") return texts;
  const others = texts.filter((each) => each.toLowerCase() !== added.toLowerCase());
  return [added, ...others].slice(0, RECENT_SEARCHES_MAX);
};

/** -> the stored texts; empty if they are damaged */
export const parseRecentSearches = (stored: string | null): readonly string[] => {
  try {
    const value: unknown = JSON.parse(stored ?? "[]");
    if (!Array.isArray(value)) return [];
    return value.filter((each) => typeof each === "string").slice(0, RECENT_SEARCHES_MAX);
  } catch {
    return [];
  }
};

const settings = new Map<string, Setting<readonly string[]>>();

/** Searches of an agent on this device, the latest first. Agents who share it don't see each other's searches. */
export const recentSearches = (agentId: string): Setting<readonly string[]> => {
  const setting =
    settings.get(agentId) ??
    createSetting<readonly string[]>({
      key: `parley-recent-searches ${agentId}`,
      parse: parseRecentSearches,
      format: (texts) => (texts.length === 0 ? null : JSON.stringify(texts)),
    });
  settings.set(agentId, setting);
  return setting;
};
