import { isObject } from "@parley/contract";
import fastJson from "fast-json-stringify";
import type { Static, TSchema } from "typebox";
import { memoizeBySchema } from "./memoize-by-schema.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Prints a contract schema in the dialect of fast-json-stringify: recursive parts as definitions of the root, and unions, whose
 * values were checked when they came in, by the kind of value only (their check a second time costs more than all the rest).
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
 * Compiles the way from a value to JSON text that holds what the schema names and nothing else.
 * @errors the returned function throws where a member that the schema demands is absent
 */
export const serializerOf: <S extends TSchema>(schema: S) => (value: Static<S>) => string = memoizeBySchema(
  (schema: TSchema) => fastJson(dialectOf(schema) as fastJson.Schema),
);
