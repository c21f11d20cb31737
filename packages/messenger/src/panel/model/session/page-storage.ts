/** Storage of the browser that falls back to the memory of this page where the browser refuses it. */
export interface PageStorage {
  readonly get: (key: string) => string | undefined;
  /** -> whether the browser keeps the value */
  readonly set: (key: string, value: string) => boolean;
  readonly remove: (key: string) => void;
  /** -> keys that begin with the prefix */
  readonly keys: (prefix: string) => readonly string[];
}

/** @shape storageOf: throws a SecurityError where storage is blocked, as for pages within pages of other sites */
export const openPageStorage = (storageOf: () => Storage): PageStorage => {
  const memory = new Map<string, string>();
  const attempt = <T>(work: (storage: Storage) => T, fallback: T): T => {
    try {
      return work(storageOf());
    } catch {
      return fallback;
    }
  };
  return {
    get: (key) => memory.get(key) ?? attempt((storage) => storage.getItem(key), null) ?? undefined,
    set(key, value) {
      const isKept = attempt((storage) => {
        storage.setItem(key, value);
        return true;
      }, false);
      if (isKept) memory.delete(key);
      else memory.set(key, value);
      return isKept;
    },
    remove(key) {
      memory.delete(key);
      attempt((storage) => storage.removeItem(key), undefined);
    },
    keys(prefix) {
      const stored = attempt((storage) => Array.from({ length: storage.length }, (_, index) => storage.key(index)), []);
      return [...new Set([...memory.keys(), ...stored])].filter((key) => key?.startsWith(prefix)) as string[];
    },
  };
};
