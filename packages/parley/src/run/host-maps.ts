import { HostMapUnusable, parseHostMap } from "@parley/framework/operation";
import { CommandFailure } from "../environment/failure.ts";

/** @errors CommandFailure for a value that is not `host=origin`, or whose origin is not on this machine */
export const hostMapsOf = (texts: readonly string[]): ReadonlyMap<string, string> => {
  try {
    return new Map(texts.map(parseHostMap));
  } catch (error) {
    if (error instanceof HostMapUnusable) throw new CommandFailure(`--map: ${error.message}`);
    throw error;
  }
};
