/** Lets those who ask for the same thing have it one after the other. */
export interface Turns<T> {
  /**
   * Does the work when all before it have ended, and hands it what the last of them came to.
   * -> "busy", and the work was not begun, where those took longer than the patience
   */
  take(name: string, work: (before: T | undefined) => Promise<T>): Promise<T | "busy">;
}

/** Somebody who waits: hears what the one before came to, which is nothing where that failed. */
type Waiting<T> = (before: { readonly value: T | undefined } | "busy") => void;

/** @shape patience: how long a turn is waited for @units milliseconds */
export const turns = <T>(patience: number): Turns<T> => {
  /** Of each name whose turn somebody has: who waits for it. */
  const taken = new Map<string, Set<Waiting<T>>>();

  const wait = (queue: Set<Waiting<T>>) =>
    new Promise<Parameters<Waiting<T>>[0]>((resolve) => {
      const waiting: Waiting<T> = (before) => {
        clearTimeout(timer);
        queue.delete(waiting);
        resolve(before);
      };
      const timer = setTimeout(() => waiting("busy"), patience);
      queue.add(waiting);
    });

  const pass = (name: string, queue: Set<Waiting<T>>, value: T | undefined) => {
    const [next] = queue;
    if (next) next({ value });
    else taken.delete(name);
  };

  return {
    async take(name, work) {
      const present = taken.get(name);
      const queue = present ?? new Set();
      if (!present) taken.set(name, queue);
      const before = present ? await wait(present) : { value: undefined };
      if (before === "busy") return before;
      let value: T | undefined;
      try {
        return (value = await work(before.value));
      } finally {
        pass(name, queue, value);
      }
    },
  };
};
