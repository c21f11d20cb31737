/** Hands out numbers of blocks that `take` gets: one statement for many conversations. A block not used up is lost with the process. */
export const numbers = (take: () => Promise<number>, size: number): (() => Promise<number>) => {
  let next = 0;
  let end = 0;
  let taking: Promise<void> | undefined;
  const refill = async () => {
    const first = await take();
    next = first;
    end = first + size;
  };
  return async () => {
    while (next >= end) {
      taking ??= refill().finally(() => {
        taking = undefined;
      });
      await taking;
    }
    return next++;
  };
};
