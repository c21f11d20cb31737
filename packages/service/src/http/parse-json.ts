import { isUtf8 } from "node:buffer";
import { INVALID_JSON, INVALID_VALUE, refuse } from "@parley/contract";
import { checkMemberNames } from "./reserved-names.ts";

/** Deeper than any valid body; it keeps every later walk over the value from running out of stack. */
const DEPTH = 64;

/** Index of the quote that ends the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end;
  }
}

/** Members written and levels of nesting in a text that is known to be JSON. */
function scan(text: string): { members: number; depth: number } {
  let members = 0;
  let level = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case 34: // "
        index = endOfString(text, index);
        break;
      case 58: // :
        members++;
        break;
      case 91: // [
      case 123: // {
        depth = Math.max(depth, ++level);
        break;
      case 93: // ]
      case 125: // }
        level--;
    }
  }
  return { members, depth };
}

const countMembers = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0;
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const member of Object.values(value)) if (typeof member === "object") count += countMembers(member);
  return count;
};

/** Whether some text in the value, names included, is one that the test finds. */
const hasText = (value: unknown, found: (text: string) => boolean): boolean => {
  if (typeof value === "string") return found(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => found(key) || hasText(member, found));
};

/** Half a character, which no UTF-8 can say. */
const isHalved = (text: string): boolean => /\p{Surrogate}/u.test(text);

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(INVALID_JSON, `The body is not valid JSON: ${(error as SyntaxError).message}`);
  }
};

/**
 * Reads a body as JSON that means the same to every reader.
 * @errors INVALID_JSON for broken UTF-8, broken JSON or a member named twice; INVALID_VALUE for the character NUL and for halves of
 * characters, which text columns do not take, for nesting beyond any use and for reserved names
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return refuse(INVALID_JSON, "The body is not valid UTF-8.");
  const text = bytes.toString();
  const value = parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  const { members, depth } = scan(text);
  if (depth > DEPTH) refuse(INVALID_VALUE, `The body is nested more than ${DEPTH} levels deep.`);
  // A repeated name leaves fewer members in the value than stand in the text.
  if (members !== countMembers(value)) refuse(INVALID_JSON, "The body names a member of one object twice.");
  checkMemberNames(text, value);
  // Escapes are the only way to write these; looking for them first spares nearly every body the walks.
  if (text.includes("\\u0000") && hasText(value, (each) => each.includes("\0")))
    refuse(INVALID_VALUE, "Texts must not contain the character NUL.");
  if (/\\ud[89a-f]/i.test(text) && hasText(value, isHalved))
    refuse(INVALID_VALUE, "Texts must not contain half a character: a surrogate stands without its other half.");
  return value;
}
