/** @units milliseconds */
const LIFE = 900;

/** Remembers what was loaded for an account for up to a second; callers that come while it loads share the load. */
export function keptBriefly<T>(load: (accountId: number) => Promise<T>): (accountId: number) => Promise<T> {
  const kept = new Map<number, { readonly value: Promise<T>; readonly until: number }>();
  return (accountId) => {
    const present = kept.get(accountId);
    if (present && present.until > performance.now()) return present.value;
    const entry = { value: load(accountId), until: performance.now() + LIFE };
    kept.set(accountId, entry);
    entry.value.catch(() => {
      if (kept.get(accountId) === entry) kept.delete(accountId);
    });
    return entry.value;
  };
}
