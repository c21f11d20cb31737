import { invalid } from "./refusal.ts";

export type Fields = ReadonlyMap<string, unknown>;
type Change = (fields: Map<string, unknown>, attributes: unknown) => void;

const objectOf = (action: string, attributes: unknown): [string, unknown][] => {
  if (typeof attributes !== "object" || attributes === null || Array.isArray(attributes))
    throw invalid(`${action} takes an object of attributes`);
  return Object.entries(attributes);
};

/**
 * What `$db.update` can do to the attributes of a record.
 * @assumed `increment` starts at 0 and `append` with an empty list where the attribute is absent; attributes are those of the first level.
 */
const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  [
    "increment",
    (fields, attributes) => {
      for (const [name, by] of objectOf("increment", attributes)) {
        const before = fields.get(name) ?? 0;
        if (typeof by !== "number" || typeof before !== "number")
          throw invalid(`increment takes numbers: '${name}' is none`);
        fields.set(name, before + by);
      }
    },
  ],
  [
    "append",
    (fields, attributes) => {
      for (const [name, more] of objectOf("append", attributes)) {
        const before = fields.get(name) ?? [];
        if (!Array.isArray(more) || !Array.isArray(before)) throw invalid(`append takes lists: '${name}' is none`);
        fields.set(name, [...(before as unknown[]), ...(more as unknown[])]);
      }
    },
  ],
  [
    "set",
    (fields, attributes) => {
      for (const [name, value] of objectOf("set", attributes)) fields.set(name, value);
    },
  ],
  [
    "remove",
    (fields, attributes) => {
      if (!Array.isArray(attributes) || !attributes.every((name) => typeof name === "string"))
        throw invalid("remove takes a list of attributes");
      for (const name of attributes) fields.delete(name);
    },
  ],
]);

/** The fields as an action leaves them. @errors AppRefused */
export const updated = (before: Fields, action: unknown, attributes: unknown): Fields => {
  const change = typeof action === "string" ? CHANGES.get(action) : undefined;
  if (!change) throw invalid(`The action must be one of ${[...CHANGES.keys()].join(", ")}`);
  const fields = new Map(before);
  change(fields, attributes);
  return fields;
};
