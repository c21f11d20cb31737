import type { KeyValueStore } from "@parley/framework/sdk";

/** Of what the framework rejects with. -> 0 of any other error */
export const statusOf = (error: unknown): number => ((error ?? {}) as { readonly status?: number }).status ?? 0;

/** What is kept of an installation, beside the account. Keys: at most 60 characters, so an id and a short word. */

const isTaken = (error: unknown): boolean =>
  (((error ?? {}) as { readonly message?: string }).message ?? "").includes("setIf conditional request failed");

/** -> undefined where there is none */
export async function findRecord<T extends object>(db: KeyValueStore, key: string): Promise<Readonly<T> | undefined> {
  try {
    return (await db.get(key)) as T;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Makes a record unless there is one. -> false when there is one */
export async function claimRecord(db: KeyValueStore, key: string, value: object, ttl?: number): Promise<boolean> {
  try {
    await db.set(key, value, { setIf: "not_exist", ...(ttl !== undefined && { ttl }) });
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

/** Sets members of a record, which is made where there is none: the same members twice are there once. */
export async function putRecord(db: KeyValueStore, key: string, members: object, ttl?: number): Promise<void> {
  for (;;) {
    try {
      await db.update(key, "set", members);
      return;
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
    if (await claimRecord(db, key, members, ttl)) return;
  }
}

/** Removes a record, if there is one. */
export async function removeRecord(db: KeyValueStore, key: string): Promise<void> {
  try {
    await db.delete(key);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

/** How long it is known that something was done: an event comes again within days, if at all. @units seconds */
export const KNOWN_SECONDS = 60 * 24 * 3_600;

/**
 * Does a thing that no later event may do again, and remembers it.
 * What it does must bear to be begun twice: a process may end between the doing and the remembering, and two copies of an event may come
 * at once. So it sends with a key (`once` of the account's calls), sets, or puts; it never counts up or appends.
 * @shape key: at most 60 characters
 * @returns false when it was done before
 */
export async function oncePerKey(db: KeyValueStore, key: string, act: () => Promise<unknown>): Promise<boolean> {
  if (await findRecord(db, key)) return false;
  await act();
  await claimRecord(db, key, { done: true }, KNOWN_SECONDS);
  return true;
}
