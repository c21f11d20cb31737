import { isObject } from "@parley/contract";
import type { TSchema } from "typebox";
import { isReservedName } from "./reserved-names.ts";

type Json = Readonly<Record<string, unknown>>;
type Tidy = (value: unknown) => unknown;

const asIs: Tidy = (value) => value;

const membersOf = (properties: Json, compile: (schema: Json) => Tidy): Tidy => {
  const members = Object.entries(properties).map(([name, schema]) => [name, compile(schema as Json)] as const);
  return (value) => {
    if (!isObject(value)) return value;
    const tidied: Record<string, unknown> = {};
    for (const [name, tidy] of members) {
      if (!Object.hasOwn(value, name)) continue;
      const member = value[name];
      if (member !== null && member !== undefined) tidied[name] = tidy(member);
    }
    return tidied;
  };
};

const pairsOf =
  (tidy: Tidy): Tidy =>
  (value) => {
    if (!isObject(value)) return value;
    const tidied: Record<string, unknown> = {};
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (isReservedName(name) || member === null || member === undefined) continue;
      tidied[name] = tidy(member);
    }
    return tidied;
  };

const anything: Tidy = (value) => (Array.isArray(value) ? value.map(anything) : anyPairs(value));
const anyPairs = pairsOf(anything);

/** Selects the option by the JSON type of the value: a union contains at most one object shape and one array shape. */
const optionOf = (options: readonly Json[], compile: (schema: Json) => Tidy): Tidy => {
  const byType = (type: string) => options.find((option) => option["type"] === type);
  const [object, array] = [byType("object"), byType("array")].map((option) => (option ? compile(option) : asIs));
  return (value) => (isObject(value) ? object?.(value) : Array.isArray(value) ? array?.(value) : value);
};

/**
 * Compiles a function that copies a parsed body without members that the schema doesn't name and without nulls, which mean "absent".
 * The copy is made from the schema's list of names, so that no unknown member passes, whatever its name.
 */
export function cleanerOf(schema: TSchema): Tidy {
  const definitions = new Map<string, Tidy>();
  const compile = (part: Json): Tidy => {
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
      const tidy = compile(part["items"]);
      return (value) => (Array.isArray(value) ? value.map(tidy) : value);
    }
    return typeof part["type"] === "string" && part["type"] !== "object" ? asIs : anything;
  };
  return compile(schema as Json);
}
