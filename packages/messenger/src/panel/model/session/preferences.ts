import type { Preferences } from "../panel-model.ts";
import type { PageStorage } from "./page-storage.ts";

/** Keeps the preferences with the session: they are forgotten with the person. */
export interface PreferenceStore {
  readonly read: () => Preferences;
  /** -> the changed preferences */
  readonly change: (changes: Preferences) => Preferences;
  readonly forget: () => void;
}

interface PreferencesDeps {
  readonly storage: PageStorage;
  /** Of everything that is kept for the account at the site. */
  readonly storageKey: string;
  /** -> generation of the session, which begins if the browser has none */
  readonly generation: () => string;
  /** -> generation of the session, if the browser has one */
  readonly currentGeneration: () => string | undefined;
}

export const createPreferences = (deps: PreferencesDeps): PreferenceStore => {
  const { storage, storageKey, generation, currentGeneration } = deps;
  const key = `${storageKey} preferences`;
  const read = (): Preferences => {
    try {
      const { owner, ...preferences } = JSON.parse(storage.get(key) ?? "{}") as Preferences & { owner?: string };
      return owner !== undefined && owner === currentGeneration() ? preferences : {};
    } catch {
      return {};
    }
  };
  return {
    read,
    change(changes) {
      const preferences = { ...read(), ...changes };
      storage.set(key, JSON.stringify({ ...preferences, owner: generation() }));
      return preferences;
    },
    forget: () => storage.remove(key),
  };
};
