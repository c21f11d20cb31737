import { INVALID_VALUE, MISSING_PARAMETER, refuse } from "@parley/contract";
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
const LONGEST = 200;

/** `/messages/0/actor_type` -> `messages[0].actor_type` */
const nameOf = (pointer: string, last?: string): string => {
  const steps = pointer
    .split("/")
    .slice(1)
    .concat(last ?? []);
  return steps
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path ? `${path}.${step}` : step), "")
    .slice(0, LONGEST);
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
    case "format":
      return "must be a date and time such as 2026-01-31T12:00:00.000Z";
    default:
      return error.message;
  }
};

/** A union reports one error per option. The error inside the matching option is chosen if there is one; otherwise all are combined. */
const joined = (errors: readonly TLocalizedValidationError[]): { pointer: string; words: string } => {
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
export function refuseInvalidValue(errors: readonly TLocalizedValidationError[], whole: string): never {
  const [first] = errors;
  if (!first) return refuse(INVALID_VALUE);
  if (first.keyword === "required") {
    const names = first.params.requiredProperties.map((name) => nameOf(first.instancePath, name));
    return refuse(MISSING_PARAMETER, `${names.join(", ")} ${names.length === 1 ? "is" : "are"} mandatory`);
  }
  const { pointer, words } = joined(errors);
  return refuse(INVALID_VALUE, `${nameOf(pointer) || whole} ${words}`);
}
