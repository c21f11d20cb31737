/** Concurrent reads of one key share one call and its result. */
export const singleFlight = <K, V>(read: (key: K) => Promise<V>): ((key: K) => Promise<V>) => {
  const pending = new Map<K, Promise<V>>();
  return (key) => {
    const current = pending.get(key);
    if (current) return current;
    const result = read(key);
    pending.set(key, result);
    const end = () => void pending.delete(key);
    result.then(end, end);
    return result;
  };
};
