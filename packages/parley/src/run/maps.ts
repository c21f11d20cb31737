import { parseMap } from "@parley/framework";
import { UsageFailure } from "../failure.ts";

/** @errors UsageFailure for what is no `host=origin`, or leads away from this machine */
export const mapsOf = (given: readonly string[]): ReadonlyMap<string, string> => {
  try {
    return new Map(given.map(parseMap));
  } catch (error) {
    if ((error as Error).name === "MapUnusable") throw new UsageFailure(`--map: ${(error as Error).message}`);
    throw error;
  }
};
