/** A value that listeners follow. */
export interface Store<T> {
  readonly get: () => T;
  readonly update: (change: (value: T) => T) => void;
  /** Calls the listener after each change. -> stops */
  readonly follow: (listener: () => void) => () => void;
}

export const createStore = <T>(initial: T): Store<T> => {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    update(change) {
      const next = change(value);
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    follow(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
