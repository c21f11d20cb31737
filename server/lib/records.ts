import type { KeyValueStore } from "@parley/framework/sdk";
import { PostponedError } from "./errors.ts";

/** Returns the status of an error with which the framework rejects. -> 0 for any other error */
export const statusOf = (error: unknown): number => ((error ?? {}) as { readonly status?: number }).status ?? 0;

/** Records are stored per installation. A key has at most 60 characters, so it consists of an id and a short word. */

const isTaken = (error: unknown): boolean =>
  (((error ?? {}) as { readonly message?: string }).message ?? "").includes("setIf conditional request failed");

/** -> undefined if there is no such record */
export async function findRecord<T extends object>(db: KeyValueStore, key: string): Promise<Readonly<T> | undefined> {
  try {
    return (await db.get(key)) as T;
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/** Creates a record unless it exists. -> false if it exists */
export async function claimRecord(db: KeyValueStore, key: string, value: object, ttl?: number): Promise<boolean> {
  try {
    await db.set(key, value, { setIf: "not_exist", ...(ttl !== undefined && { ttl }) });
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

/** Sets members of a record, which is created if it is absent. Idempotent. */
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

/** Removes a record if it exists. */
export async function removeRecord(db: KeyValueStore, key: string): Promise<void> {
  try {
    await db.delete(key);
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

/** Lifetime of records of performed actions: an event is repeated within days at most. @units seconds */
export const RECORD_TTL_SECONDS = 60 * 24 * 3_600;

/**
 * Performs an action that no later event may repeat, and records that it was performed.
 * The action must be idempotent: a process may end between the action and the record, and two copies of an event may arrive at the same
 * time. It therefore sends with a key (`once` of the account's calls), sets or puts; it never increments or appends.
 * @shape key: at most 60 characters
 * @returns false if it was performed before
 */
export async function oncePerKey(db: KeyValueStore, key: string, action: () => Promise<unknown>): Promise<boolean> {
  if (await findRecord(db, key)) return false;
  await action();
  await claimRecord(db, key, { done: true }, RECORD_TTL_SECONDS);
  return true;
}

/** How long the lock of a process that ended blocks others. @units seconds */
const LOCK_TTL_SECONDS = 60;
const LOCK_RETRY_SECONDS = 10;

/**
 * Runs an action while no other event runs one with one of the same names.
 * @shape names: at most 55 characters each
 * @errors PostponedError while another event runs
 */
export const withLocks = <T>(db: KeyValueStore, names: readonly string[], action: () => Promise<T>): Promise<T> =>
  names.reduceRight<() => Promise<T>>(
    (inner, name) => async () => {
      const key = `turn:${name}`;
      if (!(await claimRecord(db, key, { taken: true }, LOCK_TTL_SECONDS)))
        throw new PostponedError(
          "conflict",
          LOCK_RETRY_SECONDS,
          "Processing continues when the other event has finished.",
        );
      try {
        return await inner();
      } finally {
        await removeRecord(db, key);
      }
    },
    action,
  )();

/**
 * As `oncePerKey`, for actions that must not run concurrently: calls whose receiver does not detect duplicates.
 * @shape name: at most 55 characters
 * @errors PostponedError while another event runs
 */
export const oncePerKeyLocked = async (
  db: KeyValueStore,
  name: string,
  action: () => Promise<unknown>,
): Promise<boolean> =>
  (await findRecord(db, name)) ? false : withLocks(db, [name], () => oncePerKey(db, name, action));
