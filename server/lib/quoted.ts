/** Lines in which a text may stand in quotes, so that it can hold the signs and words that part the line. */

const CURLED = /[“”„]/g;

/** Quotes as a keyboard has them, and single spaces. */
export const straight = (text: string): string => text.replace(CURLED, '"').replace(/\s+/g, " ").trim();

export const hasOpenQuote = (text: string): boolean => text.split('"').length % 2 === 0;

/** The pieces, trimmed, between the separators that stand outside quotes. @shape separator: without groups */
export const piecesOf = (text: string, separator: RegExp): string[] => {
  const pieces: string[] = [];
  let from = 0;
  for (const found of text.matchAll(new RegExp(`"[^"]*"|(${separator.source})`, "gi"))) {
    if (found[1] === undefined) continue;
    pieces.push(text.slice(from, found.index).trim());
    from = found.index + found[0].length;
  }
  return [...pieces, text.slice(from).trim()];
};

/** Texts between commas, without their quotes. */
export const valuesOf = (text: string): string[] =>
  piecesOf(text, /,/).map((piece) => (/^"([^"]*)"$/.exec(piece)?.[1] ?? piece).trim());
