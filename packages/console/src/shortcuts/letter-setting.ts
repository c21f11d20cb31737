import { createStore } from "../state/store.ts";

const KEY = "parley-letter-shortcuts";

/** Whether single letters are shortcuts. People who dictate, or whose keys repeat, turn them off. */
export const areLettersEnabled = createStore(localStorage.getItem(KEY) !== "off");

export const enableLetters = (isEnabled: boolean): void => {
  if (isEnabled) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, "off");
  areLettersEnabled.set(isEnabled);
};
