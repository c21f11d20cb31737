/**
 * The reserved name in a value parsed from JSON, at any depth: `__proto__`, or `prototype` inside `constructor`. Copying such a value member by
 * member would reach a prototype.
 * @assumed `constructor` and `prototype` alone are ordinary names: apps use them as data, and copying them reaches no prototype.
 */
export const reservedNameIn = (value: unknown): string | undefined => {
  // Iterative, because the app controls the nesting depth.
  const open: unknown[] = [value];
  while (open.length > 0) {
    const current = open.pop();
    if (typeof current !== "object" || current === null) continue;
    if (Object.hasOwn(current, "__proto__")) return "__proto__";
    const constructorValue = Object.hasOwn(current, "constructor")
      ? (current as { constructor: unknown }).constructor
      : undefined;
    if (
      typeof constructorValue === "object" &&
      constructorValue !== null &&
      Object.hasOwn(constructorValue, "prototype")
    )
      return "constructor.prototype";
    for (const member of Object.values(current)) open.push(member);
  }
  return undefined;
};

export const reservedNameMessage = (name: string): string => `The name ${name} is reserved: choose another name.`;
