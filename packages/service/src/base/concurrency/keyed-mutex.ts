interface KeyedMutex<T> {
  /**
   * Runs the work after all earlier work of the same key has ended, and passes it the value that the last of them returned
   * (undefined when that one failed, or when no work ran before it).
   * -> "busy", without running the work, when the earlier work takes longer than the timeout
   */
  run(key: string, work: (previous: T | undefined) => Promise<T>): Promise<T | "busy">;
}

type Waiter<T> = (previous: { readonly value: T | undefined } | "busy") => void;

/** Mutual exclusion by key, first come first served, with a bounded wait. @shape waitTimeoutMs: @units milliseconds */
export const createKeyedMutex = <T>(waitTimeoutMs: number): KeyedMutex<T> => {
  /** For each key whose mutex is held: those that wait for it. */
  const held = new Map<string, Set<Waiter<T>>>();

  const wait = (queue: Set<Waiter<T>>) =>
    new Promise<Parameters<Waiter<T>>[0]>((resolve) => {
      const waiter: Waiter<T> = (previous) => {
        clearTimeout(timer);
        queue.delete(waiter);
        resolve(previous);
      };
      const timer = setTimeout(() => waiter("busy"), waitTimeoutMs);
      queue.add(waiter);
    });

  const release = (key: string, queue: Set<Waiter<T>>, value: T | undefined) => {
    const [next] = queue;
    if (next) next({ value });
    else held.delete(key);
  };

  return {
    async run(key, work) {
      const present = held.get(key);
      const queue = present ?? new Set();
      if (!present) held.set(key, queue);
      const previous = present ? await wait(present) : { value: undefined };
      if (previous === "busy") return previous;
      let value: T | undefined;
      try {
        return (value = await work(previous.value));
      } finally {
        release(key, queue, value);
      }
    },
  };
};

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
