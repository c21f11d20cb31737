import type { IconName } from "../ui/icon.tsx";
import { filterMatches, scoreMatch } from "../ui/match-text.ts";
import type { ShortcutKeys } from "./keys.ts";
import type { Command, ShortcutGroup } from "./shortcuts.ts";

/** A line of the palette. */
export interface PaletteItem {
  readonly id: string;
  readonly label: string;
  readonly icon?: IconName;
  /** Further text in the line. */
  readonly detail?: string;
  readonly keys?: ShortcutKeys | undefined;
  readonly run: () => void;
}

export interface PaletteSection {
  readonly id: string;
  readonly title: string;
  readonly items: readonly PaletteItem[];
}

/** Commands about what the agent looks at come first. */
const GROUP_ORDER: readonly ShortcutGroup[] = ["selection", "conversation", "composer", "list", "general"];

/** -> the commands that match the typed text, the best first; without a text all, by group */
export const paletteCommands = (all: Iterable<Command>, typed: string): readonly PaletteItem[] => {
  const listed = [...all].filter(({ id }) => id !== "palette");
  const sorted = listed.sort((one, other) => GROUP_ORDER.indexOf(one.group) - GROUP_ORDER.indexOf(other.group));
  return filterMatches(typed, sorted, ({ label }) => label).map(({ id, label, keys, run }) => ({
    id: `command ${id}`,
    label,
    keys,
    run,
  }));
};

/** -> the sections that have items */
export const filledSections = (sections: readonly PaletteSection[]): readonly PaletteSection[] =>
  sections.filter(({ items }) => items.length > 0);

/** -> the sections in the order of their first items, which are their best matches; equal sections in their order */
export const bestSectionFirst = (sections: readonly PaletteSection[], typed: string): readonly PaletteSection[] => {
  const scoreOf = ({ items: [first] }: PaletteSection): number => (first ? (scoreMatch(typed, first.label) ?? 0) : 0);
  return sections.toSorted((one, other) => scoreOf(other) - scoreOf(one));
};

/** -> the index after a key; it wraps around. @shape count: at least 1 */
export const movedIndex = (index: number, key: string, count: number): number | undefined => {
  switch (key) {
    case "ArrowDown":
      return (index + 1) % count;
    case "ArrowUp":
      return (index - 1 + count) % count;
    case "PageDown":
      return Math.min(index + 8, count - 1);
    case "PageUp":
      return Math.max(index - 8, 0);
    default:
      return undefined;
  }
};
