import { isUtf8 } from "node:buffer";
import { INVALID_JSON, INVALID_VALUE, refuse } from "@parley/contract";

/**
 * Names with a special meaning in JavaScript. Such a member is refused: dropping it would lose data, and keeping it would be unsafe for
 * later code.
 */
const RESERVED: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
export const isReservedName = (name: string): boolean => RESERVED.has(name);

const reservedIn = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = RESERVED.has(name) ? name : reservedIn(member);
    if (found !== undefined) return found;
  }
  return undefined;
};

/**
 * Refuses a member, parameter or form field with a reserved name.
 * @errors INVALID_VALUE
 * @assumed 400 at any depth, also where the schema names no such member. The specification ignores unknown members and doesn't mention these.
 */
export const checkName = (name: string): void => {
  if (RESERVED.has(name)) refuse(INVALID_VALUE, `The name ${name} is reserved: choose another name.`);
};

/** Refuses reserved names anywhere in a parsed JSON text. */
const checkMemberNames = (text: string, value: unknown): void => {
  // Only an escape hides a name from a search of the text. The search avoids the recursive check of most bodies.
  if (!/__proto__|constructor|prototype|\\u00/.test(text)) return;
  const name = reservedIn(value);
  if (name !== undefined) checkName(name);
};

/** Maximum nesting of a body. It exceeds every valid body and keeps recursive functions within the stack. */
const DEPTH_MAX = 64;

/** Index of the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes++;
    if (slashes % 2 === 0) return end;
  }
}

/** Counts the members and the nesting levels in a valid JSON text. */
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

/** Whether any text in the value, including member names, satisfies the predicate. */
const hasText = (value: unknown, predicate: (text: string) => boolean): boolean => {
  if (typeof value === "string") return predicate(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, member]) => predicate(key) || hasText(member, predicate));
};

/** A lone surrogate, which UTF-8 can't encode. */
const hasLoneSurrogate = (text: string): boolean => /\p{Surrogate}/u.test(text);

const parse = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(INVALID_JSON, `${what} is not valid JSON: ${(error as SyntaxError).message}`);
  }
};

/**
 * Parses JSON without ambiguity.
 * @shape what: names the text in a refusal
 * @errors INVALID_JSON for invalid UTF-8, invalid JSON or a repeated member name; INVALID_VALUE for the character NUL and lone surrogates,
 * which text columns can't store, for too deep nesting and for reserved names
 */
export function parseJson(bytes: Buffer, what = "The body"): unknown {
  if (!isUtf8(bytes)) return refuse(INVALID_JSON, `${what} is not valid UTF-8.`);
  const text = bytes.toString();
  const value = parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, what);
  const { members, depth } = scan(text);
  if (depth > DEPTH_MAX) refuse(INVALID_VALUE, `${what} is nested more than ${DEPTH_MAX} levels deep.`);
  // A repeated name leaves fewer members in the value than in the text.
  if (members !== countMembers(value)) refuse(INVALID_JSON, `${what} names a member of one object twice.`);
  checkMemberNames(text, value);
  // These characters can only be written as escapes. The search for escapes avoids the recursive check of most bodies.
  if (text.includes("\\u0000") && hasText(value, (each) => each.includes("\0")))
    refuse(INVALID_VALUE, "Texts must not contain the character NUL.");
  if (/\\ud[89a-f]/i.test(text) && hasText(value, hasLoneSurrogate))
    refuse(INVALID_VALUE, "Texts must not contain half a character: a surrogate stands without its other half.");
  return value;
}
