/** Does pieces of work of one key one after the other; those of other keys beside them. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export const turns = (): Turns => {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    const end = () => {
      if (last.get(key) === mine) last.delete(key);
    };
    mine.then(end, end);
    return mine;
  };
};
