/** A function that only says no, in place of one that reaches out. */
export const refuse = (what: string) =>
  function refused(): never {
    throw Object.assign(new Error(`${what} is not allowed in a serverless app; use $request`), { code: "ERR_SANDBOX" });
  };

/** Puts a fixed value in place of a member, for good. */
export const replace = (owner: object, name: PropertyKey, value: unknown) => {
  Object.defineProperty(owner, name, { value, writable: false, configurable: false, enumerable: false });
};

/** Puts a refusal in place of each function among an object's members, the constructor that a prototype leads to included. */
export const refuseAll = (owner: object, what: string) => {
  for (const name of Reflect.ownKeys(owner)) {
    const member = Object.getOwnPropertyDescriptor(owner, name);
    if (typeof member?.value === "function" && member.configurable) replace(owner, name, refuse(what));
  }
};
