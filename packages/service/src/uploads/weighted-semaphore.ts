import { refuse, SERVICE_UNAVAILABLE } from "@parley/contract";

/**
 * Lets work in as long as there is room, in the order in which it came.
 * @shape weight: how much of the room it takes, at most all
 * @errors SERVICE_UNAVAILABLE when too much waits already
 */
type Gate = <T>(weight: number, work: () => Promise<T>) => Promise<T>;

/** @units seconds */
const COME_BACK = 5;

/** Bounds what is done at a time, and how many wait for it. */
export const createWeightedSemaphore = ({
  room,
  waiting,
}: {
  readonly room: number;
  readonly waiting: number;
}): Gate => {
  const queue: { readonly weight: number; readonly enter: () => void }[] = [];
  let taken = 0;
  const letIn = () => {
    for (let next = queue[0]; next && taken + next.weight <= room; next = queue[0]) {
      queue.shift();
      taken += next.weight;
      next.enter();
    }
  };
  return async (weight, work) => {
    if (queue.length >= waiting) refuse(SERVICE_UNAVAILABLE, undefined, COME_BACK);
    await new Promise<void>((enter) => {
      queue.push({ weight, enter });
      letIn();
    });
    try {
      return await work();
    } finally {
      taken -= weight;
      letIn();
    }
  };
};
