import { ADMIN_VALUES } from "../contract-values.ts";
import { outboundTemplateMessages as texts } from "./messages.ts";

export const PLACEHOLDER = new RegExp(ADMIN_VALUES.accountPatterns.placeholder, "g");
const PLACEHOLDER_NUMBER = new RegExp(ADMIN_VALUES.accountPatterns.placeholder_number);

/** A part of a text: as it is written, or the content of a placeholder. */
type TemplatePiece = { readonly text: string } | { readonly placeholder: string };

/** -> the text with its placeholders apart */
export const piecesOf = (text: string): readonly TemplatePiece[] => {
  const pieces: TemplatePiece[] = [];
  let end = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ placeholder: match[1] ?? "" });
    end = match.index + match[0].length;
  }
  return end < text.length ? [...pieces, { text: text.slice(end) }] : pieces;
};

/** -> the placeholders of a text, each once */
const placeholdersOf = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(PLACEHOLDER)].map(([, placeholder = ""]) => placeholder)),
];

/** -> why the placeholders are refused: they are numbered from 1 without a gap */
export const placeholderProblem = (text: string): string | undefined => {
  const found = placeholdersOf(text);
  const wrong = found.find((each) => !PLACEHOLDER_NUMBER.test(each) || Number(each) > found.length);
  return wrong === undefined ? undefined : texts.placeholderWrong(`{{${wrong}}}`);
};

/** -> the next placeholder of a text */
export const nextPlaceholder = (text: string): string => `{{${placeholdersOf(text).length + 1}}}`;
