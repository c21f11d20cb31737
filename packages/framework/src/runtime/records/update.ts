import { isObject } from "@parley/contract";
import { AppRefused } from "../../values/app-refused.ts";

export const recordNotFound = () => new AppRefused(404, "Record not found");
export const conditionFailed = () => new AppRefused(400, "The setIf conditional request failed");
export const invalidRecord = (message: string) => new AppRefused(400, message);

type RecordFields = ReadonlyMap<string, unknown>;
type Change = (fields: Map<string, unknown>, attributes: unknown) => void;

const objectOf = (action: string, attributes: unknown): [string, unknown][] => {
  if (!isObject(attributes)) throw invalidRecord(`${action} takes an object of attributes`);
  return Object.entries(attributes);
};

/** Sets the value at a path in a copy of the object; missing objects on the path are created. */
const setAt = (
  path: string,
  held: unknown,
  [name = "", ...remaining]: readonly string[],
  value: unknown,
  at = "",
): object => {
  if (held !== undefined && !isObject(held))
    throw invalidRecord(`set: '${at}' holds no attributes, so that '${path}' can't be set in it`);
  const fields = new Map<string, unknown>(Object.entries(held ?? {}));
  const here = at === "" ? name : `${at}.${name}`;
  fields.set(name, remaining.length === 0 ? value : setAt(path, fields.get(name), remaining, value, here));
  return Object.fromEntries(fields);
};

/**
 * Actions of `$db.update` on the attributes of a record.
 * @assumed `increment` starts at 0 and `append` with an empty list if the attribute is absent. `set` treats a name with dots as a path, unless
 * the record has an attribute of that name or a part of the path is empty; the other actions change attributes of the first level.
 */
const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  [
    "increment",
    (fields, attributes) => {
      for (const [name, by] of objectOf("increment", attributes)) {
        const before = fields.get(name) ?? 0;
        if (typeof by !== "number" || typeof before !== "number")
          throw invalidRecord(`increment takes numbers: '${name}' is none`);
        fields.set(name, before + by);
      }
    },
  ],
  [
    "append",
    (fields, attributes) => {
      for (const [name, more] of objectOf("append", attributes)) {
        const before = fields.get(name) ?? [];
        if (!Array.isArray(more) || !Array.isArray(before))
          throw invalidRecord(`append takes lists: '${name}' is none`);
        fields.set(name, [...(before as unknown[]), ...(more as unknown[])]);
      }
    },
  ],
  [
    "set",
    (fields, attributes) => {
      for (const [name, value] of objectOf("set", attributes)) {
        const path = name.split(".");
        const [first = "", ...remaining] = path;
        if (remaining.length === 0 || fields.has(name) || path.includes("")) fields.set(name, value);
        else fields.set(first, setAt(name, fields.get(first), remaining, value, first));
      }
    },
  ],
  [
    "remove",
    (fields, attributes) => {
      if (!Array.isArray(attributes) || !attributes.every((name) => typeof name === "string"))
        throw invalidRecord("remove takes a list of attributes");
      for (const name of attributes) fields.delete(name);
    },
  ],
]);

/** Whether an action creates a missing record without attributes. @assumed `remove` does not: there is nothing to remove. */
export const makesRecord = (action: unknown): boolean => action !== "remove";

/** Returns the fields after an action. @errors AppRefused */
export const applyUpdate = (before: RecordFields, action: unknown, attributes: unknown): RecordFields => {
  const change = typeof action === "string" ? CHANGES.get(action) : undefined;
  if (!change) throw invalidRecord(`The action must be one of ${[...CHANGES.keys()].join(", ")}`);
  const fields = new Map(before);
  change(fields, attributes);
  return fields;
};
