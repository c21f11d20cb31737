import type { KeyValueStore } from "@parley/framework/sdk";
import { Postponed } from "./postponed.ts";
import { claimRecord, findRecord, removeRecord, oncePerKey } from "./records.ts";

/** How long the lock of a process that ended blocks others. @units seconds */
const TURN_SECONDS = 60;
const WAIT_SECONDS = 10;

/**
 * Runs an action while no other event runs one with one of the same names.
 * @shape names: at most 55 characters each
 * @errors Postponed while another event runs
 */
export const oneAtATime = <T>(db: KeyValueStore, names: readonly string[], act: () => Promise<T>): Promise<T> =>
  names.reduceRight<() => Promise<T>>(
    (inner, name) => async () => {
      const key = `turn:${name}`;
      if (!(await claimRecord(db, key, { taken: true }, TURN_SECONDS)))
        throw new Postponed("turn", WAIT_SECONDS, "It is taken up when that one has ended.");
      try {
        return await inner();
      } finally {
        await removeRecord(db, key);
      }
    },
    act,
  )();

/**
 * As `once`, for actions that must not run concurrently: calls whose receiver does not detect duplicates.
 * @shape name: at most 55 characters
 * @errors Postponed while another event runs
 */
export const onceInOrder = async (db: KeyValueStore, name: string, act: () => Promise<unknown>): Promise<boolean> =>
  (await findRecord(db, name)) ? false : oneAtATime(db, [name], () => oncePerKey(db, name, act));
