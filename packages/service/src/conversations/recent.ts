/** Remembers what was seen last, up to a bound. */
export interface Recent<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** Two generations: when the young one is full, what was not asked for since the last time is forgotten. */
export const recent = <T>(size: number): Recent<T> => {
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
