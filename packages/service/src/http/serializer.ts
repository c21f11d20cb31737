import { isObject } from "@parley/contract";
import fastJson from "fast-json-stringify";
import type { Static, TSchema } from "typebox";

/** Compiles each schema once per process, even if several services start in it, as after a reset of a test environment. */
export const memoizeBySchema = <S extends object, T>(compile: (schema: S) => T): ((schema: S) => T) => {
  const cache = new WeakMap<S, T>();
  return (schema) => {
    const cached = cache.get(schema);
    if (cached !== undefined) return cached;
    const compiled = compile(schema);
    cache.set(schema, compiled);
    return compiled;
  };
};

type Json = Readonly<Record<string, unknown>>;

/**
 * Converts a contract schema for fast-json-stringify. Recursive parts become definitions of the root. Unions are serialised by the type
 * of the value alone: their values were checked on input, and a second check would cost more than the rest.
 */
const dialectOf = (schema: TSchema) => {
  const definitions: Record<string, unknown> = {};
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (!isObject(value)) return value;
    if (Array.isArray(value["enum"])) return { type: "string" };
    if (Array.isArray(value["anyOf"]))
      return value["anyOf"].every((option) => isObject(option) && option["type"] === "string")
        ? { type: "string" }
        : {};
    if (isObject(value["$defs"])) {
      for (const [name, definition] of Object.entries(value["$defs"])) {
        if (name in definitions) continue;
        definitions[name] = {};
        definitions[name] = visit(definition);
      }
    }
    if (typeof value["$ref"] === "string") return { $ref: `#/definitions/${value["$ref"]}` };
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, visit(member)]));
  };
  const root = visit(schema) as Json;
  return { ...root, definitions };
};

/**
 * Compiles a function that serialises a value to JSON with only the members that the schema names.
 * @errors the returned function throws if a required member is absent
 */
export const serializerOf: <S extends TSchema>(schema: S) => (value: Static<S>) => string = memoizeBySchema(
  (schema: TSchema) => fastJson(dialectOf(schema) as fastJson.Schema),
);
