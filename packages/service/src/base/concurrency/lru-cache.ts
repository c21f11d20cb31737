/** Cache with a bounded number of entries. */
interface LruCache<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/**
 * Two-generation LRU approximation: when the young generation is full it becomes the old generation, and the previous
 * old generation is dropped.
 */
export const createLruCache = <T>(size: number): LruCache<T> => {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  const set = (key: string, value: T) => {
    if (young.size >= size) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  };
  return {
    get(key) {
      const found = young.get(key);
      if (found !== undefined) return found;
      const aged = old.get(key);
      if (aged !== undefined) set(key, aged);
      return aged;
    },
    set,
  };
};
