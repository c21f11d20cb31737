import type { ReplyTemplate } from "@parley/contract";
import { findEntries } from "../ui/match-text.ts";

type Named = Pick<ReplyTemplate, "name" | "shortcut" | "text">;

/** -> templates with the words in shortcut, name or text; the best matches first, equal matches in their order */
export const matchingTemplates = <T extends Named>(templates: readonly T[], words: string): readonly T[] =>
  findEntries(words, templates, ({ name, shortcut = "", text }) => ({ names: [shortcut, name], text }));
