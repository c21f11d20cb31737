import type { TextPosition } from "@parley/contract";

/** A text with the selected range. */
export interface EditedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Inserts a text, and places the cursor after it. A text beyond the limit is cut. @units limit: UTF-16 units */
export const withInsertion = (edited: EditedText, added: string, position: TextPosition, limit: number): EditedText => {
  const { text } = edited;
  const ranges: Readonly<Record<TextPosition, readonly [number, number]>> = {
    cursor: [edited.start, edited.end],
    start: [0, 0],
    end: [text.length, text.length],
    all: [0, text.length],
  };
  const [from, to] = ranges[position];
  const fitting = added.slice(0, Math.max(0, limit - (text.length - (to - from))));
  const cursor = from + fitting.length;
  return { text: text.slice(0, from) + fitting + text.slice(to), start: cursor, end: cursor };
};

/** A slash at the beginning of a word, with the letters behind it. */
export interface SlashWord {
  readonly start: number;
  readonly end: number;
  /** Without the slash, in lower case. */
  readonly word: string;
}

/** -> the word with a slash that the cursor stands behind; undefined without such a word, or if text is selected */
export const slashWordAt = ({ text, start, end }: EditedText): SlashWord | undefined => {
  if (start !== end) return undefined;
  const [found, before = "", word = ""] = /(^|\s)\/([\p{L}\d-]{0,32})$/u.exec(text.slice(0, start)) ?? [];
  if (found === undefined) return undefined;
  return { start: start - found.length + before.length, end: start, word: word.toLowerCase() };
};
