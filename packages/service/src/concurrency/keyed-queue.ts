/** Runs work of one key in the order of the calls, one at a time; work of different keys runs concurrently. */
type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export const createKeyedQueue = (): KeyedQueue => {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const current = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, current);
    const end = () => {
      if (last.get(key) === current) last.delete(key);
    };
    current.then(end, end);
    return current;
  };
};
