import type { FastifyInstance } from "fastify";

/** The two ways in which JSON reaches a prototype once code copies it member by member; a look at the text spares nearly every body the walk. */
const HINT = /__proto__|constructor|\\u/;

/**
 * A reserved name in a value read from JSON, at any depth: `__proto__`, or `prototype` inside `constructor`.
 * @assumed `constructor` and `prototype` by themselves are names as any other: data of apps has them, and no copy of them reaches a prototype.
 */
export const reservedNameIn = (value: unknown): string | undefined => {
  // No recursion: an app chooses how deep its values are.
  const open: unknown[] = [value];
  while (open.length > 0) {
    const held = open.pop();
    if (typeof held !== "object" || held === null) continue;
    if (Object.hasOwn(held, "__proto__")) return "__proto__";
    const made = Object.hasOwn(held, "constructor") ? (held as { constructor: unknown }).constructor : undefined;
    if (typeof made === "object" && made !== null && Object.hasOwn(made, "prototype")) return "constructor.prototype";
    for (const member of Object.values(held)) open.push(member);
  }
  return undefined;
};

export const reservedName = (name: string): string => `The name ${name} is reserved: choose another name.`;

const refused = (message: string) => Object.assign(new Error(message), { statusCode: 400 });

/** Reads the JSON bodies of a host's own addresses. Each refusal is a 400 that says what is wrong with the body. */
export const readJsonBodies = (app: FastifyInstance): void => {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, text, done) => {
    const body = String(text);
    if (body === "") return done(refused("The body is empty: send JSON."));
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch (error) {
      return done(refused(`The body is not valid JSON: ${(error as SyntaxError).message}`));
    }
    const name = HINT.test(body) ? reservedNameIn(value) : undefined;
    return name === undefined ? done(null, value) : done(refused(reservedName(name)));
  });
};
