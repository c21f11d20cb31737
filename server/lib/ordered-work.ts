import type { KeyValueStore } from "@parley/framework/sdk";
import { Postponed } from "./postponed.ts";
import { claimRecord, findRecord, removeRecord, oncePerKey } from "./records.ts";

/** A process that ends in its turn keeps the others waiting so long. @units seconds */
const TURN_SECONDS = 60;
const WAIT_SECONDS = 10;

/**
 * Does a thing while no other event does one of the same names.
 * @shape names: at most 55 characters each
 * @errors PutOff while another one is at it
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
 * As `once`, for what must not be begun by two at the same time: a call outside that nobody there tells from its copy.
 * @shape name: at most 55 characters
 * @errors PutOff while another one is at it
 */
export const onceInOrder = async (db: KeyValueStore, name: string, act: () => Promise<unknown>): Promise<boolean> =>
  (await findRecord(db, name)) ? false : oneAtATime(db, [name], () => oncePerKey(db, name, act));
