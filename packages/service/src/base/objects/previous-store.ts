import type { ObjectStore } from "./object-store.ts";

/**
 * Objects are put into `current`, and found in both stores, while they are moved from `previous` to `current`. Objects are removed from
 * `previous` first: a move that has copied one meanwhile finds that it is gone, and removes its copy.
 */
export function withPrevious(current: ObjectStore, previous: ObjectStore): ObjectStore {
  /** An object that is in neither store may have been moved between the two reads. */
  const fromEither = async <T>(find: (store: ObjectStore) => Promise<T | undefined>): Promise<T | undefined> =>
    (await find(current)) ?? (await find(previous)) ?? (await find(current));
  return {
    put: (key, content) => current.put(key, content),
    read: (key, range) => fromEither((store) => store.read(key, range)),
    size: (key) => fromEither((store) => store.size(key)),
    describe: (key) => fromEither((store) => store.describe(key)),
    async remove(key) {
      await previous.remove(key);
      await current.remove(key);
    },
    async removeAll(prefix) {
      await previous.removeAll(prefix);
      await current.removeAll(prefix);
    },
    async *list() {
      yield* previous.list();
      yield* current.list();
    },
    removeIncomplete: async (minAgeMs) =>
      (await previous.removeIncomplete(minAgeMs)) + (await current.removeIncomplete(minAgeMs)),
    async check() {
      await current.check();
      await previous.check();
    },
    space: () => current.space(),
  };
}
