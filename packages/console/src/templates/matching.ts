import type { ReplyTemplate } from "@parley/contract";

type Named = Pick<ReplyTemplate, "name" | "shortcut" | "text">;

const rankOf = ({ name, shortcut = "", text }: Named, word: string): number => {
  if (word === "" || shortcut === word) return 0;
  if (shortcut.startsWith(word)) return 1;
  const lower = name.toLowerCase();
  if (lower.startsWith(word)) return 2;
  if (lower.includes(word) || shortcut.includes(word)) return 3;
  return text.toLowerCase().includes(word) ? 4 : 5;
};

/** -> templates with the word in shortcut, name or text; the best matches first, equal ones in their order */
export const matchingTemplates = <T extends Named>(templates: readonly T[], words: string): readonly T[] => {
  const word = words.trim().toLowerCase();
  return templates
    .map((template) => ({ template, rank: rankOf(template, word) }))
    .filter(({ rank }) => rank < 5)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ template }) => template);
};
