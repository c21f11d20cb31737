import { MISSING_PARAMETER, refuse, INVALID_VALUE } from "@parley/contract";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { refuseInvalidValue } from "./validation-message.ts";
import { memoizeBySchema } from "./memoize-by-schema.ts";
import { cleanerOf } from "./clean-body.ts";
import { checkName } from "./reserved-names.ts";

/**
 * Compiles the check of a body. Members that the schema doesn't name and nulls are dropped; the rest must be valid.
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

/** Unparsed query parameters. */
export type RawQuery = Readonly<Record<string, string | readonly string[] | undefined>>;

interface CheckedQuery {
  /** Parsed by the schema's types. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The parameters that the schema names, as they were sent. */
  readonly sent: Readonly<Record<string, string>>;
}

interface Parameter {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
}

/** Parses an integer. A value beyond the range of a number stays finite, so that the bounds of the schema or the handler apply. */
const wholeNumber = (text: string): number => Math.min(Math.max(Number(text), -Number.MAX_VALUE), Number.MAX_VALUE);

/** Letters and underscores only. In other values the case may be significant, as in 1m and 1M. */
const isWord = (text: string): boolean => /^[a-z_]+$/i.test(text);

/** A text that doesn't fit the type is left unchanged, so that the check by the schema reports it. */
const coerced = ({ type, enum: known }: Parameter, text: string): unknown => {
  if (known) return (isWord(text) && known.find((one) => String(one).toLowerCase() === text.toLowerCase())) || text;
  if (type === "integer") return /^-?\d+$/.test(text) ? wholeNumber(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
};

const checkText = (name: string, { format }: Parameter, text: string): void => {
  if (text.includes("\0")) refuse(INVALID_VALUE, `${name} must not contain the character NUL`);
  // The format accepts leap seconds, which JavaScript can't represent.
  if (format === "date-time" && Number.isNaN(Date.parse(text)))
    refuse(INVALID_VALUE, `${name} must be a date and time such as 2026-01-31T12:00:00.000Z`);
};

/** The query parser keeps an invalid escape as literal text, which would be misread as a value. @errors INVALID_VALUE */
export function checkEscapes(url: string): void {
  if (!url.includes("%")) return;
  try {
    decodeURIComponent(url);
  } catch {
    refuse(INVALID_VALUE, "The query is not URL encoded: a percent sign itself is written as %25.");
  }
}

/**
 * Compiles the check of a query. Unknown parameters are ignored; a repeated parameter is refused.
 * @assumed A parameter without a value, as in `?email=`, counts as absent. Words of a list, such as asc and desc, are accepted in any case.
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
