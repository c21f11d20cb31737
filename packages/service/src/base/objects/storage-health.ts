import type { Log, Metrics } from "@parley/telemetry";
import { ObjectStoreFailure, type ObjectStore, type StorageTrouble } from "./object-store.ts";

/** -> why uploads fail now; undefined: they can be stored */
export type StorageHealth = () => Promise<string | undefined>;

/** How long a result is used, so that frequent polling costs the storage little. @units milliseconds */
const CACHE_MS = { good: 30_000, bad: 2_000 };

/** Public reasons, without internal details. The log contains those. */
const REASONS: Readonly<Record<StorageTrouble, string>> = {
  full: "The storage of uploads is full. Make room there.",
  "read-only": "The storage of uploads takes no writes.",
  unavailable: "The storage of uploads does not work. The log has the reason.",
};

interface StorageHealthDeps {
  readonly objects: ObjectStore;
  readonly log: Log;
}

interface CheckedObjects {
  /** Its puts are the newest results of the health. */
  readonly objects: ObjectStore;
  readonly storageHealth: StorageHealth;
}

/**
 * Checks whether uploads can be stored: by the puts of requests, and by a small object if the last result is old.
 * @errors of the health: errors that are not caused by the storage
 */
export const withStorageHealth = ({ objects, log }: StorageHealthDeps): CheckedObjects => {
  let last: { readonly at: number; readonly reason: string | undefined } | undefined;
  let pending: Promise<string | undefined> | undefined;

  const note = (failure?: ObjectStoreFailure) => {
    const reason = failure && REASONS[failure.trouble];
    if (reason !== last?.reason)
      log(failure?.message ?? "Uploads are stored again.", { level: failure ? "error" : "info", part: "objects" });
    last = { at: performance.now(), reason };
    return reason;
  };
  const noting = async <T>(work: Promise<T>): Promise<T> => {
    try {
      const result = await work;
      // A check finds out whether a storage that failed works again: a small upload may fit where others do not.
      if (last?.reason === undefined) note();
      return result;
    } catch (error) {
      if (error instanceof ObjectStoreFailure) note(error);
      throw error;
    }
  };
  const check = () =>
    objects.check().then(
      () => note(),
      (error: unknown) => {
        if (!(error instanceof Error)) throw error;
        return note(error instanceof ObjectStoreFailure ? error : new ObjectStoreFailure(error.message));
      },
    );

  return {
    objects: { ...objects, put: (key, content) => noting(objects.put(key, content)) },
    storageHealth: () => {
      if (last && performance.now() - last.at < (last.reason === undefined ? CACHE_MS.good : CACHE_MS.bad))
        return Promise.resolve(last.reason);
      return (pending ??= check().finally(() => (pending = undefined)));
    },
  };
};

/** Reports whether uploads can be stored, and the space of their disk. */
export const reportStorage = (metrics: Metrics, { objects, storageHealth }: CheckedObjects): void => {
  if (!metrics.isOn) return;
  metrics.gauge("parley_uploads_up", async () => [
    { labels: {}, value: (await storageHealth()) === undefined ? 1 : 0 },
  ]);
  metrics.gauge("parley_uploads_disk_bytes", async () => {
    const space = await objects.space();
    if (!space) return [];
    return [
      { labels: { state: "free" }, value: space.freeBytes },
      { labels: { state: "total" }, value: space.totalBytes },
    ];
  });
};
