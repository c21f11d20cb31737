import { APP_LIMITS, isObject } from "@parley/contract";
import { reservedNameMessage, reservedNameIn } from "../../model/reserved-names.ts";
import type { RecordOwner, RecordStore } from "../../state/records.sql.ts";
import { refuseCall } from "../../model/app-refused.ts";

/** Data storage of an app (`$db`). The arguments come from the app's process and may be any value. @errors AppRefused */
export interface Records {
  get(key: unknown): Promise<unknown>;
  set(key: unknown, value: unknown, options: unknown): Promise<{ readonly Created: true }>;
  update(key: unknown, action: unknown, attributes: unknown): Promise<{ readonly Updated: true }>;
  delete(key: unknown): Promise<{ readonly Deleted: true }>;
}

function refuseUnknown(): never {
  refuseCall(404, "Record not found");
}
export function refuseRecord(message: string): never {
  refuseCall(400, message);
}

type RecordFields = ReadonlyMap<string, unknown>;
type Change = (fields: Map<string, unknown>, attributes: unknown) => void;

const objectOf = (action: string, attributes: unknown): [string, unknown][] => {
  if (!isObject(attributes)) refuseRecord(`${action} takes an object of attributes`);
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
    refuseRecord(`set: '${at}' holds no attributes, so that '${path}' can't be set in it`);
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
          refuseRecord(`increment takes numbers: '${name}' is not a number`);
        fields.set(name, before + by);
      }
    },
  ],
  [
    "append",
    (fields, attributes) => {
      for (const [name, more] of objectOf("append", attributes)) {
        const before = fields.get(name) ?? [];
        if (!Array.isArray(more) || !Array.isArray(before)) refuseRecord(`append takes lists: '${name}' is not a list`);
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
        refuseRecord("remove takes a list of attributes");
      for (const name of attributes) fields.delete(name);
    },
  ],
]);

/** Whether an action creates a missing record without attributes. @assumed `remove` does not: there is nothing to remove. */
const makesRecord = (action: unknown): boolean => action !== "remove";

/** Returns the fields after an action. @errors AppRefused */
const applyUpdate = (before: RecordFields, action: unknown, attributes: unknown): RecordFields => {
  const change = typeof action === "string" ? CHANGES.get(action) : undefined;
  if (!change) refuseRecord(`The action must be one of ${[...CHANGES.keys()].join(", ")}`);
  const fields = new Map(before);
  change(fields, attributes);
  return fields;
};

/** @units seconds */
const TTL_SECONDS_MAX = 10 * 365 * 86_400;

const keyOf = (key: unknown): string => {
  if (typeof key !== "string" || key === "" || key.length > APP_LIMITS.recordKeyCharacters || key.includes("\0"))
    refuseRecord(`The key must be a text of 1 to ${APP_LIMITS.recordKeyCharacters} characters`);
  return key;
};

const textOf = (key: string, value: unknown): string => {
  if (!isObject(value)) refuseRecord("The value must be an object");
  const name = reservedNameIn(value);
  if (name !== undefined) refuseRecord(reservedNameMessage(name));
  const text = JSON.stringify(value);
  if (Buffer.byteLength(key) + Buffer.byteLength(text) > APP_LIMITS.recordBytes)
    refuseRecord("Key and value must not exceed 40 KB");
  return text;
};

const optionsOf = (options: unknown) => {
  const optionMembers = (typeof options === "object" && options !== null ? options : {}) as Record<string, unknown>;
  const { ttl, setIf } = optionMembers;
  if (setIf !== undefined && setIf !== "exist" && setIf !== "not_exist")
    refuseRecord("setIf must be exist or not_exist");
  if (ttl !== undefined && (typeof ttl !== "number" || !Number.isFinite(ttl) || ttl > TTL_SECONDS_MAX))
    refuseRecord("ttl must be a number of seconds");
  return { ttl, setIf };
};

/** @assumed A ttl of 0 or less keeps the record without expiry, as does an absent ttl. */
const expiry = (now: Date, ttl: number | undefined) =>
  ttl !== undefined && ttl > 0 ? new Date(now.getTime() + ttl * 1000) : null;

interface RecordsDeps {
  readonly store: RecordStore;
  readonly now: () => Date;
}

export const createRecords = ({ store, now }: RecordsDeps, owner: RecordOwner): Records => ({
  async get(key) {
    const text = await store.get(owner, keyOf(key), now());
    if (text === undefined) refuseUnknown();
    return JSON.parse(text) as unknown;
  },
  async set(keyInput, value, options) {
    const key = keyOf(keyInput);
    const { ttl, setIf } = optionsOf(options);
    const record = { key, value: textOf(key, value), expires: expiry(now(), ttl) };
    if (setIf === undefined) await store.put(owner, record);
    else if (!(await (setIf === "exist" ? store.putExisting : store.putNew)(owner, record, now())))
      refuseRecord("The setIf conditional request failed");
    return { Created: true };
  },
  async update(keyInput, action, attributes) {
    const key = keyOf(keyInput);
    const isWritten = await store.change(owner, key, now(), (text) => {
      const current = text === undefined ? {} : (JSON.parse(text) as object);
      const after = applyUpdate(new Map<string, unknown>(Object.entries(current)), action, attributes);
      return text === undefined && !makesRecord(action) ? undefined : textOf(key, Object.fromEntries(after));
    });
    if (!isWritten) refuseUnknown();
    return { Updated: true };
  },
  async delete(key) {
    if (!(await store.remove(owner, keyOf(key), now()))) refuseUnknown();
    return { Deleted: true };
  },
});
