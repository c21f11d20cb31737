import type { FastifyInstance } from "fastify";
import { reservedNameIn, reservedNameMessage } from "../model/reserved-names.ts";

/** Matches any text that may contain a reserved name, so that most bodies skip the full traversal. */
const RESERVED_NAME_HINT = /__proto__|constructor|\\u/;

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
