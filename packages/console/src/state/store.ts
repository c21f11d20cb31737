import { useSyncExternalStore } from "react";

/** A value outside of React that components follow. */
export interface Store<T> {
  readonly get: () => T;
  readonly set: (value: T) => void;
  readonly update: (change: (value: T) => T) => void;
  /** -> the function that ends it */
  readonly subscribe: (listener: () => void) => () => void;
}

export const createStore = <T>(initial: T): Store<T> => {
  let value = initial;
  const listeners = new Set<() => void>();
  const set = (next: T): void => {
    if (Object.is(next, value)) return;
    value = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => value,
    set,
    update: (change) => set(change(value)),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

export const useStore = <T>(store: Pick<Store<T>, "get" | "subscribe">): T =>
  useSyncExternalStore(store.subscribe, store.get);
