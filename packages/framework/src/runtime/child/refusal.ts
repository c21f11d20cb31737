/** A function that only says no, in place of one that reaches out. */
export const refuse = (what: string) =>
  function refused(): never {
    throw Object.assign(new Error(`${what} is not allowed in a serverless app; use $request`), { code: "ERR_SANDBOX" });
  };

/** Puts a fixed value in place of a member, for good. @errors TypeError where that can't be: better no process than an open one */
export const replace = (owner: object, name: PropertyKey, value: unknown) => {
  const isFixed = Object.getOwnPropertyDescriptor(owner, name)?.configurable === false;
  const hidden = isFixed ? {} : { configurable: false, enumerable: false };
  Object.defineProperty(owner, name, { value, writable: false, ...hidden });
};

/** Puts a refusal in place of each function among an object's members, the constructor that a prototype leads to included. */
export const refuseAll = (owner: object, what: string) => {
  for (const name of Reflect.ownKeys(owner)) {
    const member = Object.getOwnPropertyDescriptor(owner, name);
    if (typeof member?.value === "function" && member.configurable) replace(owner, name, refuse(what));
  }
};
