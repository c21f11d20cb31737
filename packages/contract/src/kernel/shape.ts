import type { Static, TObject, TSchema } from "typebox";
import Value from "typebox/value";

/** One position at which a value doesn't match a schema. */
export interface SchemaError {
  /** JSON pointer; "" is the whole value. */
  readonly pointer: string;
  /** JSON Schema keyword of the rule, such as `required` or `type`. */
  readonly rule: string;
  readonly message: string;
  /** Names of the missing or unexpected properties, if the rule concerns properties. */
  readonly properties: readonly string[];
}

type Scalar = string | number | boolean;
/** Names of the members of an object that are texts, numbers or booleans. */
export type ScalarField<T> = { [K in keyof T]-?: NonNullable<T[K]> extends Scalar ? K : never }[keyof T] & string;

const SCALAR_TYPES: readonly unknown[] = ["string", "integer", "number", "boolean"];

/** -> names of the members of a schema that are texts, numbers or booleans, in the schema's order */
export const scalarFieldsOf = <T extends TObject, const X extends ScalarField<Static<T>> = never>(
  { properties }: T,
  ...except: readonly X[]
) => {
  type Name = Exclude<ScalarField<Static<T>>, X>;
  return Object.entries<{ readonly type?: unknown; readonly enum?: unknown }>(properties)
    .filter(
      ([name, schema]) => !except.some((each) => each === name) && (schema.enum ?? SCALAR_TYPES.includes(schema.type)),
    )
    .map(([name]) => name) as [Name, ...Name[]];
};

/** Checks a value against a schema without generated code, so that it works under a strict Content-Security-Policy. */
export const matchesSchema = <T extends TSchema>(schema: T, value: unknown): value is Static<T> =>
  Value.Check(schema, value);

const namesIn = (params: object): readonly string[] =>
  Object.values(params).flatMap((names: unknown) =>
    Array.isArray(names) ? names.filter((name) => typeof name === "string") : [],
  );

/** Lists every mismatch between a value and a schema; empty if the value matches. */
export const schemaErrors = (schema: TSchema, value: unknown): SchemaError[] =>
  Value.Errors(schema, value)
    // The keyword `boolean` repeats for each property what `additionalProperties` reports for the object.
    .filter(({ keyword }) => keyword !== "boolean")
    .map(({ keyword, instancePath, message, params }) => ({
      pointer: instancePath,
      rule: keyword,
      message,
      properties: namesIn(params),
    }));

const pointersIn = (value: unknown, cleaned: unknown, pointer: string): string[] => {
  if (typeof value !== "object" || value === null) return [];
  const cleanedMembers = (typeof cleaned === "object" && cleaned !== null ? cleaned : {}) as Readonly<
    Record<string, unknown>
  >;
  return Object.entries(value).flatMap(([name, member]) => {
    const path = Array.isArray(value) ? `${pointer}[${name}]` : pointer ? `${pointer}.${name}` : name;
    return Object.hasOwn(cleanedMembers, name) ? pointersIn(member, cleanedMembers[name], path) : [path];
  });
};

/** Lists the members that a schema doesn't name, such as `channels[0].nmae`. In a hand-written value such a member is a mistake. */
export const unknownMembers = (schema: TSchema, value: unknown): string[] =>
  pointersIn(value, Value.Clean(schema, Value.Clone(value)), "");
