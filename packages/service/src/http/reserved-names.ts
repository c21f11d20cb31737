import { INVALID_VALUE, refuse } from "@parley/contract";

/** Names that JavaScript gives a meaning of its own: to drop such a member would lose what was sent, to keep it would trap later readers. */
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
 * Refuses a member, parameter or field of a form with a reserved name.
 * @errors INVALID_VALUE
 * @assumed 400 at any depth, also where the schema names no such member: the specification ignores unknown members and is silent about these.
 */
export const checkName = (name: string): void => {
  if (RESERVED.has(name)) refuse(INVALID_VALUE, `The name ${name} is reserved: choose another name.`);
};

/** The same for all that a parsed JSON text holds. */
export const checkMemberNames = (text: string, value: unknown): void => {
  // Only an escape hides a name from a search of the text; looking at the text first spares nearly every body the walk.
  if (!/__proto__|constructor|prototype|\\u00/.test(text)) return;
  const name = reservedIn(value);
  if (name !== undefined) checkName(name);
};
