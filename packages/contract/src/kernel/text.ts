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

/** Regular expression of the name of a language, of a country or without. */
export const LOCALE_PATTERN = "^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$";
/** Length of the name of a language. @units characters */
export const LOCALE_CHARACTERS_MAX = 35;
