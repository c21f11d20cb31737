import { alike } from "./lines.ts";

const PART_OF_WORD = /^[\p{L}\p{N}\p{M}]$/u;
/** Scripts that put no space between words: there any place may be a word's end. */
const WITHOUT_SPACES =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u;

const firstOf = (text: string): string => /^./su.exec(text)?.[0] ?? "";
const lastOf = (text: string): string => /.$/su.exec(text.slice(-2))?.[0] ?? "";

/** Whether one word goes on from the text before to the text after. */
const isJoined = (before: string, after: string): boolean => {
  const edges = [lastOf(before), firstOf(after)];
  return edges.every((edge) => PART_OF_WORD.test(edge)) && !edges.some((edge) => WITHOUT_SPACES.test(edge));
};

/** Whether a text holds a word or several, whole, in whatever case and width. @shape phrase: not empty */
export function hasWords(text: string, phrase: string): boolean {
  const [where, what] = [alike(text), alike(phrase)];
  for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1)) {
    const [before, after] = [where.slice(0, at), where.slice(at + what.length)];
    if (!isJoined(before, what) && !isJoined(what, after)) return true;
  }
  return false;
}
