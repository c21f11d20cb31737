/** Lets those that ask for the same at the same time share the answer. */
export const shared = <K, V>(read: (key: K) => Promise<V>): ((key: K) => Promise<V>) => {
  const underWay = new Map<K, Promise<V>>();
  return (key) => {
    const known = underWay.get(key);
    if (known) return known;
    const answer = read(key);
    underWay.set(key, answer);
    const end = () => void underWay.delete(key);
    answer.then(end, end);
    return answer;
  };
};
