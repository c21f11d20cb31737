import { INVALID_VALUE, refuse } from "@parley/contract";

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
export const checkMemberNames = (text: string, value: unknown): void => {
  // Only an escape hides a name from a search of the text. The search avoids the recursive check of most bodies.
  if (!/__proto__|constructor|prototype|\\u00/.test(text)) return;
  const name = reservedIn(value);
  if (name !== undefined) checkName(name);
};
