import { refuse, SERVICE_UNAVAILABLE } from "@parley/contract";

/** Lets work in a few at a time. @errors SERVICE_UNAVAILABLE when too much waits already */
export type Gate = <T>(work: () => Promise<T>) => Promise<T>;

/** @units seconds */
const COME_BACK = 5;

/** Bounds what is done at a time, and what waits for it. */
export const gate = ({ most, waiting }: { readonly most: number; readonly waiting: number }): Gate => {
  const queue: (() => void)[] = [];
  let inside = 0;
  return async (work) => {
    if (inside < most) inside += 1;
    else {
      if (queue.length >= waiting) refuse(SERVICE_UNAVAILABLE, undefined, COME_BACK);
      // Who leaves hands the place on.
      await new Promise<void>((enter) => queue.push(enter));
    }
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else inside -= 1;
    }
  };
};
