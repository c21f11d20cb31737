import type { FastifyInstance } from "fastify";

/** Matches any text that may contain a reserved name, so that most bodies skip the full traversal. */
const RESERVED_NAME_HINT = /__proto__|constructor|\\u/;

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

const badRequest = (message: string) => Object.assign(new Error(message), { statusCode: 400 });

/** Parses the JSON bodies of the host's own routes. An invalid body is refused with 400 and a message that describes the error. */
export const readJsonBodies = (app: FastifyInstance): void => {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
    const body = String(text);
    if (body === "") return done(badRequest("The body is empty: send JSON."));
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch (error) {
      return done(badRequest(`The body is not valid JSON: ${(error as SyntaxError).message}`));
    }
    const name = RESERVED_NAME_HINT.test(body) ? reservedNameIn(value) : undefined;
    return name === undefined ? done(null, value) : done(badRequest(reservedNameMessage(name)));
  });
};
