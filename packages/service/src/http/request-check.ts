import { BLANK_TEXT_REASON, MISSING_PARAMETER, refuse, INVALID_VALUE, isObject, VISIBLE_TEXT } from "@parley/contract";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { memoizeBySchema } from "./serializer.ts";
import { checkName, isReservedName } from "./parse-json.ts";
import type { TLocalizedValidationError } from "typebox/error";

/** The expected type in words that follow the member's name. */
const KINDS: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "an array",
};

/** Maximum length of a caller's member name in a message. @units characters */
const NAME_CHARS_MAX = 200;

/** `/messages/0/actor_type` -> `messages[0].actor_type` */
const nameOf = (pointer: string, last?: string): string => {
  const steps = pointer
    .split("/")
    .slice(1)
    .concat(last ?? []);
  return steps
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path ? `${path}.${step}` : step), "")
    .slice(0, NAME_CHARS_MAX);
};

const countOf = (limit: number | bigint, noun: string) => `${limit} ${noun}${Number(limit) === 1 ? "" : "s"}`;

const wordsOf = (error: TLocalizedValidationError): string => {
  switch (error.keyword) {
    case "type":
      return `must be ${[error.params.type]
        .flat()
        .map((type) => KINDS[type] ?? type)
        .join(" or ")}`;
    case "enum":
      return `must be one of ${error.params.allowedValues.join(", ")}`;
    case "minLength":
      return Number(error.params.limit) === 1
        ? "must not be empty"
        : `must have at least ${error.params.limit} characters`;
    case "maxLength":
      return `must have at most ${countOf(error.params.limit, "character")}`;
    case "minItems":
      return `must have at least ${countOf(error.params.limit, "item")}`;
    case "maxItems":
      return `must have at most ${countOf(error.params.limit, "item")}`;
    case "minProperties":
      return `must have at least ${countOf(error.params.limit, "member")} of those that the reference lists`;
    case "maxProperties":
      return `must have at most ${countOf(error.params.limit, "member")}`;
    case "minimum":
      return `must be at least ${error.params.limit}`;
    case "maximum":
      return `must be at most ${error.params.limit}`;
    case "pattern":
      return String(error.params.pattern) === VISIBLE_TEXT ? BLANK_TEXT_REASON : error.message;
    case "format":
      return "must be a date and time such as 2026-01-31T12:00:00.000Z";
    default:
      return error.message;
  }
};

/** A union reports one error per option. An error inside the matching option is chosen; otherwise all are combined. */
const summaryOf = (errors: readonly TLocalizedValidationError[]): { pointer: string; words: string } => {
  const [first] = errors as [TLocalizedValidationError];
  const union = /^.*?\/anyOf\//.exec(first.schemaPath)?.[0];
  if (!union) return { pointer: first.instancePath, words: wordsOf(first) };
  const options = errors.filter(({ schemaPath }) => schemaPath.startsWith(union));
  const inside = options.find(({ instancePath }) => instancePath.length > first.instancePath.length);
  if (inside) return { pointer: inside.instancePath, words: wordsOf(inside) };
  const constants = options.flatMap((option) =>
    option.keyword === "const" ? [String(option.params.allowedValue)] : [],
  );
  const words = constants.length
    ? `must be one of ${constants.join(", ")}`
    : options.map(wordsOf).join(" or ").replaceAll(" or must be", " or");
  return { pointer: first.instancePath, words };
};

/**
 * Refuses a value that its schema rejects, with a message about the first error.
 * @shape whole: the name of the value itself
 * @errors MISSING_PARAMETER, INVALID_VALUE
 */
function refuseInvalidValue(errors: readonly TLocalizedValidationError[], whole: string): never {
  const [first] = errors;
  if (!first) return refuse(INVALID_VALUE);
  if (first.keyword === "required") {
    const names = first.params.requiredProperties.map((name) => nameOf(first.instancePath, name));
    return refuse(MISSING_PARAMETER, `${names.join(", ")} ${names.length === 1 ? "is" : "are"} mandatory`);
  }
  const { pointer, words } = summaryOf(errors);
  return refuse(INVALID_VALUE, `${nameOf(pointer) || whole} ${words}`);
}

type Json = Readonly<Record<string, unknown>>;
type Clean = (value: unknown) => unknown;
const asIs: Clean = (value) => value;

const membersOf = (properties: Json, compile: (schema: Json) => Clean): Clean => {
  const members = Object.entries(properties).map(([name, schema]) => [name, compile(schema as Json)] as const);
  return (value) => {
    if (!isObject(value)) return value;
    const cleaned: Record<string, unknown> = {};
    for (const [name, clean] of members) {
      if (!Object.hasOwn(value, name)) continue;
      const member = value[name];
      if (member !== null && member !== undefined) cleaned[name] = clean(member);
    }
    return cleaned;
  };
};

const pairsOf =
  (clean: Clean): Clean =>
  (value) => {
    if (!isObject(value)) return value;
    const cleaned: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (isReservedName(name) || member === null || member === undefined) continue;
      cleaned[name] = clean(member);
    }
    return cleaned;
  };

const anything: Clean = (value) => (Array.isArray(value) ? value.map(anything) : anyPairs(value));
const anyPairs = pairsOf(anything);

/** Selects the option by the JSON type of the value: a union contains at most one object shape and one array shape. */
const optionOf = (options: readonly Json[], compile: (schema: Json) => Clean): Clean => {
  const byType = (type: string) => options.find((option) => option["type"] === type);
  const [object, array] = [byType("object"), byType("array")].map((option) => (option ? compile(option) : asIs));
  return (value) => (isObject(value) ? object?.(value) : Array.isArray(value) ? array?.(value) : value);
};

/**
 * Compiles a function that copies a parsed body without members that the schema doesn't name and without nulls, which mean "absent".
 * The copy is made from the schema's list of names, so that no unknown member passes, whatever its name.
 */
export function cleanerOf(schema: TSchema): Clean {
  const definitions = new Map<string, Clean>();
  const compile = (part: Json): Clean => {
    if (isObject(part["$defs"])) {
      for (const [name, definition] of Object.entries(part["$defs"])) {
        if (definitions.has(name)) continue;
        definitions.set(name, asIs);
        definitions.set(name, compile(definition as Json));
      }
    }
    const reference = part["$ref"];
    // Resolved at call time: a recursive shape is not compiled yet at this point.
    if (typeof reference === "string") return (value) => definitions.get(reference)?.(value);
    if (Array.isArray(part["anyOf"])) return optionOf(part["anyOf"] as Json[], compile);
    if (isObject(part["properties"])) return membersOf(part["properties"], compile);
    const pairs = isObject(part["patternProperties"]) ? Object.values(part["patternProperties"])[0] : undefined;
    if (isObject(pairs)) return pairsOf(compile(pairs));
    if (part["type"] === "array" && isObject(part["items"])) {
      const clean = compile(part["items"]);
      return (value) => (Array.isArray(value) ? value.map(clean) : value);
    }
    return typeof part["type"] === "string" && part["type"] !== "object" ? asIs : anything;
  };
  return compile(schema as Json);
}

/**
 * Compiles the check of a body. Members that the schema doesn't name and nulls are dropped; the rest must be valid.
 * @errors the returned function refuses with MISSING_PARAMETER, INVALID_VALUE
 */
export const bodyCheckOf = memoizeBySchema((schema: TSchema): ((body: unknown) => unknown) => {
  const clean = cleanerOf(schema);
  const validator = Compile(schema);
  return (body) => {
    if (body === undefined) refuse(MISSING_PARAMETER, "The body is mandatory: send it as JSON.");
    const cleaned = clean(body);
    if (!validator.Check(cleaned)) refuseInvalidValue(validator.Errors(cleaned), "The body");
    return cleaned;
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
const coerce = ({ type, enum: allowed }: Parameter, text: string): unknown => {
  if (allowed) return (isWord(text) && allowed.find((one) => String(one).toLowerCase() === text.toLowerCase())) || text;
  if (type === "integer") return /^-?\d+$/.test(text) ? wholeNumber(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
};

/** A plus sign that is not URL encoded arrives as a space. */
const LOST_PLUS_OF_OFFSET = / \d\d:\d\d$/;

const checkText = (name: string, { format }: Parameter, text: string): void => {
  if (text.includes("\0")) refuse(INVALID_VALUE, `${name} must not contain the character NUL`);
  if (format !== "date-time") return;
  if (LOST_PLUS_OF_OFFSET.test(text))
    refuse(
      INVALID_VALUE,
      `${name} must be a date and time such as 2026-01-31T12:00:00.000Z: write the plus sign of an offset as %2B, since + is a space in a URL`,
    );
  // The format accepts leap seconds, which JavaScript can't represent.
  if (Number.isNaN(Date.parse(text)))
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
      values[name] = coerce(parameter, text);
    }
    if (!validator.Check(values)) refuseInvalidValue(validator.Errors(values), "The query");
    return { values, sent };
  };
});
