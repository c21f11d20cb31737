import { createStore, type Store } from "./store.ts";

/** A choice that this browser keeps, in all its tabs. */
export interface Setting<T> extends Pick<Store<T>, "get" | "subscribe"> {
  /** Stores the choice; other tabs follow. */
  readonly change: (value: T) => void;
}

interface SettingOptions<T> {
  readonly key: string;
  /** -> the value of a stored text; null: nothing is stored. Texts that an older version stored, or that are damaged, must be accepted. */
  readonly parse: (text: string | null) => T;
  /** -> the text to store; null removes it */
  readonly format: (value: T) => string | null;
}

/** Browsers that refuse to store data still show the pages, with the defaults. */
const stored = (key: string): string | null => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

const store = (key: string, text: string | null): void => {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // The choice lasts as long as the page then.
  }
};

export const createSetting = <T>({ key, parse, format }: SettingOptions<T>): Setting<T> => {
  const value = createStore(parse(stored(key)));
  // Only other tabs receive the event.
  addEventListener("storage", (event) => {
    if (event.key === key || event.key === null) value.set(parse(event.key === null ? null : event.newValue));
  });
  return {
    get: value.get,
    subscribe: value.subscribe,
    change(next) {
      store(key, format(next));
      value.set(next);
    },
  };
};
