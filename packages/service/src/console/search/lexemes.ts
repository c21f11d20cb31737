/**
 * Words of a text as the index contains them. The same function reads stored texts and queries, so that both have one definition, on
 * any PostgreSQL and without an extension.
 *
 * @assumed A word is compared without regard to case, accents and the width of characters, in any language; there are no stems and no
 * stop words. Scripts that are written without spaces, and Korean, whose particles are parts of words, are divided into overlapping pairs
 * of characters: a search finds any part of such a text.
 */
export interface Token {
  readonly lexeme: string;
  /** Consecutive words of a field have consecutive positions. */
  readonly position: number;
  /** Index of the field. */
  readonly field: number;
  /** Offsets in the field. @units UTF-16 code units */
  readonly start: number;
  readonly end: number;
  /** End of the first character of a pair; `end` for other words. */
  readonly firstEnd: number;
  /** The last character of a run of several characters of a script without spaces, which its pairs contain already. */
  readonly isRunEnd: boolean;
  /** A run of one such character. */
  readonly isSingle: boolean;
}

/** Longer words are compared by their first characters. @units UTF-16 code units */
const LEXEME_LENGTH_MAX = 40;
/** @assumed Words of one document that are searched. The message text may be longer. */
const DOCUMENT_WORDS_MAX = 4_000;

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu;
const PLAIN = /^[a-z0-9]+$/;
/** Accents of Latin, Greek and Cyrillic letters, and the vowel marks of Hebrew and Arabic. */
const MARKS = /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]+/g;
/** Letters that have no decomposition into a letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ł: "l",
  ø: "o",
  đ: "d",
  ħ: "h",
  ı: "i",
  æ: "ae",
  œ: "oe",
  ß: "ss",
  ð: "o",
  þ: "th",
  ς: "σ",
};
const SPECIAL = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");
const NOT_WORD = /[^\p{L}\p{N}\p{M}]+/gu;
const SCRIPTS = ["Han", "Hira", "Kana", "Bopo", "Hang", "Thai", "Laoo", "Khmr", "Mymr"];
const UNSPACED = new RegExp(`[${SCRIPTS.map((name) => `\\p{scx=${name}}`).join("")}]`, "u");
/** Characters below U+0E00 belong to scripts with spaces. */
const UNSPACED_RANGE = /[\u0e00-\uffff]/;
const CHARACTER = /[^\p{M}]\p{M}*|\p{M}+/gu;

/** A word in the form in which it is compared. */
const normalized = (word: string): string => {
  const lower = word.toLowerCase();
  if (PLAIN.test(lower)) return lower;
  return lower
    .normalize("NFKD")
    .toLowerCase()
    .replace(MARKS, "")
    .replace(SPECIAL, (letter) => LETTERS[letter] ?? letter)
    .normalize("NFC")
    .replace(NOT_WORD, "");
};

const truncated = (lexeme: string): string => {
  if (lexeme.length <= LEXEME_LENGTH_MAX) return lexeme;
  const cut = lexeme.slice(0, LEXEME_LENGTH_MAX);
  // Never half of a character.
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
};

interface Piece {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The runs of a word that mixes scripts with and without spaces. A run of the latter is a list of characters. */
const runsOf = (word: string, offset: number): (Piece | readonly Piece[])[] => {
  const runs: (Piece | Piece[])[] = [];
  for (const { 0: text, index } of word.matchAll(CHARACTER)) {
    const piece = { text, start: offset + index, end: offset + index + text.length };
    const last = runs.at(-1);
    if (UNSPACED.test(text)) {
      if (Array.isArray(last)) last.push(piece);
      else runs.push([piece]);
    } else if (last !== undefined && !Array.isArray(last))
      runs[runs.length - 1] = { text: last.text + text, start: last.start, end: piece.end };
    else runs.push(piece);
  }
  return runs;
};

/**
 * The words of a document in their order. Between two fields a position stays empty, so that no phrase extends over both.
 */
export const tokensOf = (fields: readonly string[]): readonly Token[] => {
  const tokens: Token[] = [];
  let position = 0;
  const addWord = (field: number, { text, start, end }: Piece): void => {
    const lexeme = truncated(normalized(text));
    if (lexeme === "") return;
    tokens.push({ lexeme, position, field, start, end, firstEnd: end, isRunEnd: false, isSingle: false });
    position += 1;
  };
  const addRun = (field: number, run: readonly Piece[]): void => {
    const characters = run.flatMap((piece) => {
      const text = normalized(piece.text);
      return text === "" ? [] : [{ ...piece, text }];
    });
    for (const [index, { text, start, end }] of characters.entries()) {
      const next = characters[index + 1];
      const lexeme = truncated(next ? text + next.text : text);
      const [isRunEnd, isSingle] = [!next && index > 0, !next && index === 0];
      tokens.push({ lexeme, position, field, start, end: next?.end ?? end, firstEnd: end, isRunEnd, isSingle });
      position += 1;
    }
  };
  for (const [field, text] of fields.entries()) {
    const before = position;
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (tokens.length >= DOCUMENT_WORDS_MAX) return tokens;
      if (!UNSPACED_RANGE.test(word)) addWord(field, { text: word, start: index, end: index + word.length });
      else
        for (const run of runsOf(word, index))
          if (Array.isArray(run)) addRun(field, run as readonly Piece[]);
          else addWord(field, run as Piece);
    }
    if (position > before) position += 1;
  }
  return tokens;
};

/** The lexemes of a document by position; an empty text at a position between two fields. */
export const lexemesByPosition = (tokens: readonly Token[]): readonly string[] => {
  const lexemes: string[] = [];
  for (const { lexeme, position } of tokens) {
    while (lexemes.length < position) lexemes.push("");
    lexemes.push(lexeme);
  }
  return lexemes;
};
