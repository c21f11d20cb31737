import { MISSING_PARAMETER, refuse, INVALID_VALUE } from "@parley/contract";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { refuseInvalidValue } from "./validation-message.ts";
import { memoizeBySchema } from "./memoize-by-schema.ts";
import { cleanerOf } from "./clean-body.ts";
import { checkName } from "./reserved-names.ts";

/**
 * Compiles the check of a body: what the schema does not name and nulls are dropped, the rest has to be valid.
 * @errors the returned function refuses with MISSING_PARAMETER, INVALID_VALUE
 */
export const bodyCheckOf = memoizeBySchema((schema: TSchema): ((body: unknown) => unknown) => {
  const tidy = cleanerOf(schema);
  const validator = Compile(schema);
  return (body) => {
    if (body === undefined) refuse(MISSING_PARAMETER, "The body is mandatory: send it as JSON.");
    const tidied = tidy(body);
    if (!validator.Check(tidied)) refuseInvalidValue(validator.Errors(tidied), "The body");
    return tidied;
  };
});

/** Parameters as they stand in the address. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

interface CheckedQuery {
  /** By the schema's types. */
  readonly values: Readonly<Record<string, unknown>>;
  /** As they were sent: those that the schema names. */
  readonly sent: Readonly<Record<string, string>>;
}

interface Parameter {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
}

/** A number of more digits than a number holds stays one, so that the schema's bounds refuse or the handler clamps it. */
const wholeNumber = (text: string): number => Math.min(Math.max(Number(text), -Number.MAX_VALUE), Number.MAX_VALUE);

/** Letters and underscores alone: of other texts the case can be what tells them apart, as in 1m and 1M. */
const isWord = (text: string): boolean => /^[a-z_]+$/i.test(text);

/** A text that is not of its type stays as it is: the schema's check names it then. */
const coerced = ({ type, enum: known }: Parameter, text: string): unknown => {
  if (known) return (isWord(text) && known.find((one) => String(one).toLowerCase() === text.toLowerCase())) || text;
  if (type === "integer") return /^-?\d+$/.test(text) ? wholeNumber(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
};

const checkText = (name: string, { format }: Parameter, text: string): void => {
  if (text.includes("\0")) refuse(INVALID_VALUE, `${name} must not contain the character NUL`);
  // The format takes leap seconds, which are no instant to any clock here.
  if (format === "date-time" && Number.isNaN(Date.parse(text)))
    refuse(INVALID_VALUE, `${name} must be a date and time such as 2026-01-31T12:00:00.000Z`);
};

/** The parser leaves a broken escape as it stands: that would be taken for a text that means itself. @errors INVALID_VALUE */
export function checkEscapes(url: string): void {
  if (!url.includes("%")) return;
  try {
    decodeURIComponent(url);
  } catch {
    refuse(INVALID_VALUE, "The query is not URL encoded: a percent sign itself is written as %25.");
  }
}

/**
 * Compiles the check of a query: unknown parameters are ignored, a parameter that is given twice has no meaning.
 * @assumed A parameter without a value, as in `?email=`, counts as absent. Words of a list, such as asc and desc, are taken in any case.
 * @errors the returned function refuses with INVALID_VALUE, MISSING_PARAMETER
 */
export const queryCheckOf = memoizeBySchema((schema: TSchema): ((raw: RawQuery) => CheckedQuery) => {
  const { properties = {} } = schema as { properties?: Record<string, Parameter> };
  const parameters = Object.entries(properties);
  const validator = Compile(schema);
  return (raw) => {
    const values: Record<string, unknown> = {};
    const sent: Record<string, string> = {};
    for (const name of Object.keys(raw)) checkName(name);
    for (const [name, parameter] of parameters) {
      const text = raw[name];
      if (text === undefined || text === "") continue;
      if (typeof text !== "string") return refuse(INVALID_VALUE, `${name} is given more than once`);
      checkText(name, parameter, text);
      sent[name] = text;
      values[name] = coerced(parameter, text);
    }
    if (!validator.Check(values)) refuseInvalidValue(validator.Errors(values), "The query");
    return { values, sent };
  };
});
