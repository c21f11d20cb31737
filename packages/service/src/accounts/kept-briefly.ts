/** @units milliseconds */
const LIFE = 900;

/** What is known of an account for up to a second. */
export interface KeptBriefly<T> {
  /** Callers that come while it loads share the load. */
  readonly of: (accountId: number) => Promise<T>;
  /** Loads anew for whoever asks from this moment on; what other processes know may still be a second old. */
  readonly forget: (accountId: number) => void;
}

export function keptBriefly<T>(load: (accountId: number) => Promise<T>): KeptBriefly<T> {
  const kept = new Map<number, { readonly value: Promise<T>; readonly until: number }>();
  return {
    of(accountId) {
      const present = kept.get(accountId);
      if (present && present.until > performance.now()) return present.value;
      const entry = { value: load(accountId), until: performance.now() + LIFE };
      kept.set(accountId, entry);
      entry.value.catch(() => {
        if (kept.get(accountId) === entry) kept.delete(accountId);
      });
      return entry.value;
    },
    forget: (accountId) => void kept.delete(accountId),
  };
}
