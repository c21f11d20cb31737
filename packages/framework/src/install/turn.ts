/** Runs one work after another, whatever becomes of each. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export const inTurn = (): InTurn => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
};
