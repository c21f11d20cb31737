import type { Ports } from "../environment/ports.ts";

/** Lifetime of an entry by default: below one second, so that a change is visible in every process within a second. @units milliseconds */
const TTL_MS = 900;

/** Number of entries at which all are dropped: keys can be texts that visitors choose. */
const ENTRIES_MAX = 10_000;

interface TtlCache<T, Key> {
  /** Concurrent calls for one key share one load; a load that fails is not kept. */
  readonly get: (key: Key) => Promise<T>;
  /** The next call loads again. Entries in other processes stay until they expire. */
  readonly invalidate: (key: Key) => void;
  readonly clear: () => void;
}

/** Cache of one value a key, which is the id of an account by default. @units ttlMs: milliseconds; 900 when absent */
export function createTtlCache<T, Key = number>(
  load: (key: Key) => Promise<T>,
  { monotonicMs }: Pick<Ports, "monotonicMs">,
  ttlMs = TTL_MS,
): TtlCache<T, Key> {
  const entries = new Map<Key, { readonly value: Promise<T>; readonly expires: number }>();
  return {
    get(key) {
      const present = entries.get(key);
      if (present && present.expires > monotonicMs()) return present.value;
      if (entries.size >= ENTRIES_MAX) entries.clear();
      const entry = { value: load(key), expires: monotonicMs() + ttlMs };
      entries.set(key, entry);
      entry.value.catch(() => {
        if (entries.get(key) === entry) entries.delete(key);
      });
      return entry.value;
    },
    invalidate: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  };
}
