import { createHash } from "node:crypto";
import type { ObjectStore, StoredObject } from "./object-store.ts";

/** Results of a move. */
export interface MoveCounts {
  /** Copied by this run, and read again. */
  readonly copied: number;
  /** Were there already, with the same size and digest. */
  readonly present: number;
  /** Keys of objects that are there with another content: the present object is later, and it was kept. */
  readonly different: readonly string[];
  /** Were removed while they were copied. */
  readonly vanished: number;
  /** Bytes of the copied objects. */
  readonly bytes: number;
  /** Removed from the previous place. */
  readonly removed: number;
}

interface MoveOptions {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  /** Removes each object from `from` once it is verified in `to`. */
  readonly removes: boolean;
  /** Objects that are copied at the same time. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly progress?: (counts: MoveCounts) => void;
}

const CONCURRENCY = 4;

const isEqual = (one: StoredObject, other: StoredObject): boolean =>
  one.bytes === other.bytes && one.sha256 === other.sha256;

/** Size and digest of what a store returns now, whatever it has recorded. -> undefined if there is no such object */
const readBack = async (store: ObjectStore, key: string): Promise<StoredObject | undefined> => {
  const found = await store.read(key);
  if (!found) return undefined;
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of found.content as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.byteLength;
  }
  return { bytes, sha256: hash.digest("hex") };
};

type Outcome =
  | { readonly kind: "copied"; readonly bytes: number }
  | { readonly kind: "present" | "different" | "vanished" };

const copyOne = async (from: ObjectStore, to: ObjectStore, key: string): Promise<Outcome> => {
  const present = await to.describe(key);
  if (present) {
    const source = await from.describe(key);
    if (!source) return { kind: "vanished" };
    return { kind: isEqual(source, present) ? "present" : "different" };
  }
  const source = await from.read(key);
  if (!source) return { kind: "vanished" };
  const stored = await to.put(key, source.content);
  const verified = await readBack(to, key);
  // Removed meanwhile: the service removes an object from the previous place first.
  if ((await from.size(key)) === undefined) {
    await to.remove(key);
    return { kind: "vanished" };
  }
  if (stored.bytes !== source.bytes || !verified || !isEqual(stored, verified))
    throw new Error(`The copy of ${key} differs from the original. Run the command again; nothing was removed.`);
  return { kind: "copied", bytes: stored.bytes };
};

/**
 * Copies all objects from one store to another, and verifies each copy by its size and its digest. A repeated run continues: it compares the
 * objects that are already there. The service may run meanwhile, with `to` as its store and `from` as its previous store.
 * @errors ObjectStoreFailure; Error for a copy that differs; the signal's reason
 */
export async function moveObjects(options: MoveOptions): Promise<MoveCounts> {
  const { from, to, removes, concurrency = CONCURRENCY, signal, progress } = options;
  let counts: MoveCounts = { copied: 0, present: 0, different: [], vanished: 0, bytes: 0, removed: 0 };
  const keys = from.list()[Symbol.asyncIterator]();
  const moveNext = async (key: string): Promise<void> => {
    const outcome = await copyOne(from, to, key);
    const isVerified = outcome.kind === "copied" || outcome.kind === "present";
    if (removes && isVerified) await from.remove(key);
    counts = {
      copied: counts.copied + Number(outcome.kind === "copied"),
      present: counts.present + Number(outcome.kind === "present"),
      different: outcome.kind === "different" ? [...counts.different, key] : counts.different,
      vanished: counts.vanished + Number(outcome.kind === "vanished"),
      bytes: counts.bytes + (outcome.kind === "copied" ? outcome.bytes : 0),
      removed: counts.removed + Number(removes && isVerified),
    };
    progress?.(counts);
  };
  const failed = new AbortController();
  const worker = async (): Promise<void> => {
    try {
      for (let next = await keys.next(); !next.done; next = await keys.next()) {
        signal?.throwIfAborted();
        if (failed.signal.aborted) return;
        await moveNext(next.value.key);
      }
    } catch (error) {
      failed.abort();
      throw error;
    }
  };
  const results = await Promise.allSettled(Array.from({ length: concurrency }, worker));
  const failure = results.find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
  return counts;
}
