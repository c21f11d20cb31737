import { isObject } from "@parley/contract";
import type { TSchema } from "typebox";
import { isReservedName } from "./reserved-names.ts";

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
