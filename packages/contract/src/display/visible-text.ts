/**
 * Characters with which a person's text or name changes how the text around it is shown. Pages remove them from what they show; what is stored
 * keeps them.
 */

/** Control characters apart from line breaks and tabs, and the characters that reorder the text after them. */
const REORDERING = /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;
/** Further invisible characters, removed from names. The joiners (U+200C, U+200D) belong to scripts and emoji. */
const INVISIBLE = /(?![\u200c\u200d])\p{Cf}|[\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0]/gu;
/** Marks beyond the third one on a letter, which would be drawn over other lines. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;

/** -> a text of several lines without characters that change how the text around them is shown */
export const visibleText = (text: string): string => text.replace(REORDERING, "").replace(STACKED_MARKS, "$1");

/** -> a name, label or file name in one line, without invisible characters; empty if no visible character is left */
export const visibleName = (text: string): string =>
  visibleText(text).replace(INVISIBLE, "").replace(/\s+/g, " ").trim();
