import type { Static, TSchema } from "typebox";
import Value from "typebox/value";

/** One place where a value is not what a schema says. */
export interface Misfit {
  /** JSON pointer; "" is the whole value. */
  readonly pointer: string;
  /** The schema's word for the rule, such as `required` or `type`. */
  readonly rule: string;
  readonly message: string;
  /** Names of the properties that are missing or too many, where the rule is about them. */
  readonly properties: readonly string[];
}

/** Whether a value has the shape; without generated code, so that it runs under a strict content policy. */
export const fits = <T extends TSchema>(schema: T, value: unknown): value is Static<T> => Value.Check(schema, value);

const namesIn = (params: object): readonly string[] =>
  Object.values(params).flatMap((names: unknown) =>
    Array.isArray(names) ? names.filter((name) => typeof name === "string") : [],
  );

/** Every place where the value does not fit; none when it does. */
export const misfits = (schema: TSchema, value: unknown): Misfit[] =>
  Value.Errors(schema, value)
    // `boolean` says once more of each property what `additionalProperties` says of their object.
    .filter(({ keyword }) => keyword !== "boolean")
    .map(({ keyword, instancePath, message, params }) => ({
      pointer: instancePath,
      rule: keyword,
      message,
      properties: namesIn(params),
    }));

const pointersIn = (value: unknown, kept: unknown, pointer: string): string[] => {
  if (typeof value !== "object" || value === null) return [];
  const known = (typeof kept === "object" && kept !== null ? kept : {}) as Readonly<Record<string, unknown>>;
  return Object.entries(value).flatMap(([name, member]) => {
    const place = Array.isArray(value) ? `${pointer}[${name}]` : pointer ? `${pointer}.${name}` : name;
    return Object.hasOwn(known, name) ? pointersIn(member, known[name], place) : [place];
  });
};

/** Every member that a schema does not name, such as `channels[0].nmae`: who wrote the value by hand meant something by it. */
export const strangersIn = (schema: TSchema, value: unknown): string[] =>
  pointersIn(value, Value.Clean(schema, Value.Clone(value)), "");
