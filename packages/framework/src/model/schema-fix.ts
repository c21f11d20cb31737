import { isObject, type SchemaError } from "@parley/contract";
import type { JsonEdit, JsonPath } from "./finding.ts";
import { misfitPath } from "./json.ts";
import { misspeltMembers, sameNameInOtherCase, similarName } from "./similar-name.ts";

/** The members of a JSON schema that corrections depend on. */
interface SchemaNode {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

const memberSchema = (schema: SchemaNode | undefined, name: string): SchemaNode | undefined =>
  (schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined) ??
  Object.values(schema?.patternProperties ?? {})[0] ??
  schema?.items;

const memberValue = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

const renames = (value: unknown, schema: SchemaNode | undefined, at: JsonPath): JsonEdit[] =>
  isObject(value)
    ? misspeltMembers(Object.keys(value), Object.keys(schema?.properties ?? {})).map(({ name, meant }) => ({
        kind: "rename",
        at: [...at, name],
        name: meant,
      }))
    : [];

const choice = (value: unknown, schema: SchemaNode | undefined, at: JsonPath): JsonEdit[] => {
  const choices = schema?.enum ?? [];
  const numbers = choices.filter((one) => typeof one === "number");
  const number = typeof value === "string" ? numbers.find((one) => String(one) === value.trim()) : undefined;
  if (number !== undefined) return [{ kind: "set", at, value: number }];
  if (typeof value !== "string") return [];
  const texts = choices.filter((one) => typeof one === "string");
  // Of two forms that differ in case only, the first one is the usual.
  const usual = texts.filter((one, index) => !texts.slice(0, index).some((other) => sameNameInOtherCase(one, [other])));
  const meant = sameNameInOtherCase(value.trim(), usual) ?? similarName(value, usual);
  return meant === undefined ? [] : [{ kind: "set", at, value: meant }];
};

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

const converted = (value: unknown, schema: SchemaNode | undefined, at: JsonPath, isEntry: boolean): JsonEdit[] => {
  const text = typeof value === "string" ? value.trim() : "";
  if (schema?.type === "boolean" && (text === "true" || text === "false"))
    return [{ kind: "set", at, value: text === "true" }];
  const isNumber = schema?.type === "integer" ? /^-?\d+$/.test(text) : schema?.type === "number" && DECIMAL.test(text);
  if (isNumber) return [{ kind: "set", at, value: Number(text) }];
  // Headers and queries are texts, which public apps write as numbers and booleans.
  const isPlain = typeof value === "number" || (isEntry && typeof value === "boolean");
  return schema?.type === "string" && isPlain ? [{ kind: "quote", at }] : [];
};

/**
 * Edits that correct a value of the wrong form, where the schema leaves one obvious correction: a misspelt member, a choice in another case, a
 * boolean or number in quotes, a number without them.
 * @shape prefix: path of the value in its file
 */
export const schemaFix = (root: object, json: unknown, misfit: SchemaError, prefix: JsonPath = []): JsonEdit[] => {
  const path = misfitPath(misfit);
  let [value, schema, isEntry]: [unknown, SchemaNode | undefined, boolean] = [json, root, false];
  for (const name of path) {
    isEntry = schema?.patternProperties !== undefined;
    [value, schema] = [memberValue(value, name), memberSchema(schema, name)];
  }
  const at = [...prefix, ...path];
  if (misfit.rule === "enum") return choice(value, schema, at);
  if (misfit.rule === "type") return converted(value, schema, at, isEntry);
  if (misfit.rule !== "required" && misfit.rule !== "additionalProperties") return [];
  return renames(value, schema, at).filter(
    (edit) =>
      edit.kind === "rename" &&
      misfit.properties.includes(misfit.rule === "required" ? edit.name : (edit.at.at(-1) ?? "")),
  );
};
