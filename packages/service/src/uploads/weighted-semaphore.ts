import { refuse, SERVICE_UNAVAILABLE } from "@parley/contract";

/**
 * Lets work in as long as there is room, in the order in which it came.
 * @shape weight: how much of the room it takes, at most all
 * @errors SERVICE_UNAVAILABLE when too much waits already
 */
type WeightedSemaphore = <T>(weight: number, work: () => Promise<T>) => Promise<T>;

/** @units seconds */
const RETRY_AFTER_S = 5;

/** Bounds what is done at a time, and how many wait for it. */
export const createWeightedSemaphore = ({
  capacity,
  maxWaiting,
}: {
  readonly capacity: number;
  readonly maxWaiting: number;
}): WeightedSemaphore => {
  const queue: { readonly weight: number; readonly start: () => void }[] = [];
  let taken = 0;
  const startNext = () => {
    for (let next = queue[0]; next && taken + next.weight <= capacity; next = queue[0]) {
      queue.shift();
      taken += next.weight;
      next.start();
    }
  };
  return async (weight, work) => {
    if (queue.length >= maxWaiting) refuse(SERVICE_UNAVAILABLE, undefined, RETRY_AFTER_S);
    await new Promise<void>((start) => {
      queue.push({ weight, start });
      startNext();
    });
    try {
      return await work();
    } finally {
      taken -= weight;
      startNext();
    }
  };
};
