import type { PageStorage } from "../session/page-storage.ts";
import type { OutboxEntry } from "./outbox-entry.ts";

/** Keeps unsent messages, one item of the storage for each: tabs can't overwrite the entries of others. */
export interface OutboxStorage {
  readonly put: (entry: OutboxEntry) => void;
  readonly remove: (entryId: string) => void;
  /** -> entries of all tabs; those of an earlier person are removed */
  readonly read: (generation: string | undefined) => readonly OutboxEntry[];
  readonly clear: () => void;
}

const parseEntry = (text: string | undefined): OutboxEntry | undefined => {
  try {
    return JSON.parse(text ?? "") as OutboxEntry;
  } catch {
    return undefined;
  }
};

/** @shape key: of everything that is kept for the account at the site */
export const createOutboxStorage = (storage: PageStorage, key: string): OutboxStorage => {
  const prefix = `${key} outbox `;
  return {
    put: (entry) => void storage.set(prefix + entry.id, JSON.stringify(entry)),
    remove: (entryId) => storage.remove(prefix + entryId),
    read: (generation) =>
      storage.keys(prefix).flatMap((each) => {
        const entry = parseEntry(storage.get(each));
        if (entry && entry.generation === generation) return [entry];
        storage.remove(each);
        return [];
      }),
    clear: () => storage.keys(prefix).forEach((each) => storage.remove(each)),
  };
};
