import { MISSING_PARAMETER, refuse } from "@parley/contract";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { refuseValue } from "./finding.ts";
import { perSchema } from "./per-schema.ts";
import { tidierOf } from "./tidy.ts";

/**
 * Compiles the check of a body: what the schema does not name and nulls are dropped, the rest has to be valid.
 * @errors the returned function refuses with MISSING_PARAMETER, INVALID_VALUE
 */
export const bodyCheckOf = perSchema((schema: TSchema): ((body: unknown) => unknown) => {
  const tidy = tidierOf(schema);
  const validator = Compile(schema);
  return (body) => {
    if (body === undefined) refuse(MISSING_PARAMETER, "The body is mandatory: send it as JSON.");
    const tidied = tidy(body);
    if (!validator.Check(tidied)) refuseValue(validator.Errors(tidied), "The body");
    return tidied;
  };
});
