/**
 * Regular expression (flag u) of a text with a visible character.
 * @assumed White space, control and format characters, other characters that Unicode lets programs ignore, such as U+200B, U+00AD and the
 * fillers of Hangul, and the Braille pattern without dots are not visible. A mandatory text needs another character.
 */
export const VISIBLE_TEXT = "[^\\s\\p{Z}\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u2800]";

/** Why a blank text is refused, as words that follow its name. */
export const BLANK_TEXT_REASON = "must not be blank: it needs a visible character";

const VISIBLE = new RegExp(VISIBLE_TEXT, "u");

/** Whether a text has no visible character. */
export const isBlank = (text: string): boolean => !VISIBLE.test(text);

/**
 * Regular expressions (flags g and u) of characters with which a person's text or name changes how the text around it is shown. Pages remove
 * them from what they show; what is stored keeps them.
 */
export const REMOVED_CHARACTERS = {
  /** Control characters apart from line breaks and tabs, and the characters that reorder the text after them. */
  reordering: "(?![\\n\\t])\\p{Cc}|[\\u202a-\\u202e\\u2066-\\u2069]",
  /** Further invisible characters, removed from names. The joiners (U+200C, U+200D) belong to scripts and emoji. */
  invisible: "(?![\\u200c\\u200d])\\p{Cf}|[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0]",
  /** Marks beyond the third one on a letter, which would be drawn over other lines. */
  stackedMarks: "(?<=\\p{M}{3})\\p{M}+",
} as const;
