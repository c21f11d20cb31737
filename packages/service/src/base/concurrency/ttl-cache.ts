import type { Ports } from "../environment/ports.ts";

/** Lifetime of an entry by default: below one second, so that a change is visible in every process within a second. @units milliseconds */
const TTL_MS = 900;

interface TtlCache<T> {
  /** Concurrent calls for one account share one load; a load that fails is not kept. */
  readonly get: (accountId: number) => Promise<T>;
  /** The next call loads again. Entries in other processes stay until they expire. */
  readonly invalidate: (accountId: number) => void;
}

/** Cache of one value an account. @units ttlMs: milliseconds; 900 when absent */
export function createTtlCache<T>(
  load: (accountId: number) => Promise<T>,
  { monotonicMs }: Pick<Ports, "monotonicMs">,
  ttlMs = TTL_MS,
): TtlCache<T> {
  const entries = new Map<number, { readonly value: Promise<T>; readonly expires: number }>();
  return {
    get(accountId) {
      const present = entries.get(accountId);
      if (present && present.expires > monotonicMs()) return present.value;
      const entry = { value: load(accountId), expires: monotonicMs() + ttlMs };
      entries.set(accountId, entry);
      entry.value.catch(() => {
        if (entries.get(accountId) === entry) entries.delete(accountId);
      });
      return entry.value;
    },
    invalidate: (accountId) => void entries.delete(accountId),
  };
}
