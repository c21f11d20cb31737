import { isObject } from "@parley/contract";
import { reservedNameMessage, reservedNameIn } from "../../values/reserved-names.ts";
import { conditionFailed, invalidRecord, recordNotFound, makesRecord, applyUpdate } from "./update.ts";
import type { RecordOwner, RecordStore } from "./store.ts";

/** Data storage of an app (`$db`). The arguments come from the app's process and may be any value. @errors AppRefused */
export interface Records {
  get(key: unknown): Promise<unknown>;
  set(key: unknown, value: unknown, options: unknown): Promise<{ readonly Created: true }>;
  update(key: unknown, action: unknown, attributes: unknown): Promise<{ readonly Updated: true }>;
  delete(key: unknown): Promise<{ readonly Deleted: true }>;
}

const KEY_CHARACTERS = 60;
/** Maximum size of key and value together. @assumed 40 KB are 40 · 1024 bytes of the value's JSON text and the key */
const maxRecordBytes = 40 * 1024;
/** @units seconds */
const maxTtlSeconds = 10 * 365 * 86_400;

const keyOf = (key: unknown): string => {
  if (typeof key !== "string" || key === "" || key.length > KEY_CHARACTERS || key.includes("\0"))
    throw invalidRecord(`The key must be a text of 1 to ${KEY_CHARACTERS} characters`);
  return key;
};

const textOf = (key: string, value: unknown): string => {
  if (!isObject(value)) throw invalidRecord("The value must be an object");
  const name = reservedNameIn(value);
  if (name !== undefined) throw invalidRecord(reservedNameMessage(name));
  const text = JSON.stringify(value);
  if (Buffer.byteLength(key) + Buffer.byteLength(text) > maxRecordBytes)
    throw invalidRecord("Key and value must not exceed 40 KB");
  return text;
};

const optionsOf = (options: unknown) => {
  const optionMembers = (typeof options === "object" && options !== null ? options : {}) as Record<string, unknown>;
  const { ttl, setIf } = optionMembers;
  if (setIf !== undefined && setIf !== "exist" && setIf !== "not_exist")
    throw invalidRecord("setIf must be exist or not_exist");
  if (ttl !== undefined && (typeof ttl !== "number" || !Number.isFinite(ttl) || ttl > maxTtlSeconds))
    throw invalidRecord("ttl must be a number of seconds");
  return { ttl, setIf };
};

/** @assumed A ttl of 0 or less keeps the record without expiry, as does an absent one. */
const expiry = (now: Date, ttl: number | undefined) =>
  ttl !== undefined && ttl > 0 ? new Date(now.getTime() + ttl * 1000) : null;

interface RecordsDeps {
  readonly store: RecordStore;
  readonly now: () => Date;
}

export const createRecords = ({ store, now }: RecordsDeps, owner: RecordOwner): Records => ({
  async get(key) {
    const text = await store.get(owner, keyOf(key), now());
    if (text === undefined) throw recordNotFound();
    return JSON.parse(text) as unknown;
  },
  async set(keyInput, value, options) {
    const key = keyOf(keyInput);
    const { ttl, setIf } = optionsOf(options);
    const record = { key, value: textOf(key, value), expires: expiry(now(), ttl) };
    if (setIf === undefined) await store.put(owner, record);
    else if (!(await (setIf === "exist" ? store.putExisting : store.putNew)(owner, record, now())))
      throw conditionFailed();
    return { Created: true };
  },
  async update(keyInput, action, attributes) {
    const key = keyOf(keyInput);
    const isWritten = await store.change(owner, key, now(), (text) => {
      const current = text === undefined ? {} : (JSON.parse(text) as object);
      const after = applyUpdate(new Map<string, unknown>(Object.entries(current)), action, attributes);
      return text === undefined && !makesRecord(action) ? undefined : textOf(key, Object.fromEntries(after));
    });
    if (!isWritten) throw recordNotFound();
    return { Updated: true };
  },
  async delete(key) {
    if (!(await store.remove(owner, keyOf(key), now()))) throw recordNotFound();
    return { Deleted: true };
  },
});
