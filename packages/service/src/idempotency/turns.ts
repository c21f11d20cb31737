/** Lets those who ask for the same thing have it one after the other. */
export interface Turns<T> {
  /**
   * Does the work when all before it have ended, and hands it what the last of them came to.
   * -> "busy", and the work was not begun, where those took longer than the patience
   */
  take(name: string, work: (before: T | undefined) => Promise<T>): Promise<T | "busy">;
}

/** -> "busy" when the time is over before. @units milliseconds */
const within = async <T>(awaited: Promise<T>, ms: number): Promise<T | "busy"> => {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<"busy">((resolve) => {
    timer = setTimeout(() => resolve("busy"), ms);
  });
  return Promise.race([awaited, over]).finally(() => clearTimeout(timer));
};

/** @shape patience: how long a turn is waited for @units milliseconds */
export const turns = <T>(patience: number): Turns<T> => {
  const last = new Map<string, Promise<T | undefined>>();
  return {
    async take(name, work) {
      const before = last.get(name);
      const begun = before && within(before, patience);
      const done = begun ? begun.then((value) => (value === "busy" ? value : work(value))) : work(undefined);
      // Who gave up leaves those behind it to whoever is before it; a failure hands nothing on.
      const settled = done.then(
        (value) => (value === "busy" ? before : value),
        () => undefined,
      );
      last.set(name, settled);
      void settled.finally(() => {
        if (last.get(name) === settled) last.delete(name);
      });
      return done;
    },
  };
};
