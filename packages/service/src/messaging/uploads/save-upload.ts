import type { AddressSigner } from "../../base/objects/signed-addresses.ts";
import type { ObjectStore } from "../../base/objects/object-store.ts";
import type { SpoolFile } from "../../base/objects/spool.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { UploadStore, UploadRow } from "./store.ts";
import { isConnectionLost, type Db } from "@parley/database";

/** Dependencies of the upload routes. */
export interface UploadDeps {
  readonly objects: ObjectStore;
  readonly addresses: AddressSigner;
  readonly spool: SpoolFile;
  readonly store: UploadStore;
  readonly ports: Ports;
  /** Validity of a URL. @units seconds */
  readonly addressSeconds: number;
}

/** One object to store under its key. */
interface ObjectContent {
  readonly key: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Wraps bytes in memory as a stream. */
export async function* readBytes(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

interface SaveUploadDeps {
  readonly objects: ObjectStore;
  readonly store: UploadStore;
}

/**
 * Stores the objects of an upload, then its row together with what `more` inserts in the same transaction. A failure
 * removes the objects. A crash in between leaves objects without a row, to which no URL was ever issued.
 * @shape rowOf: builds the row from the size of each object
 */
export const createSaveUpload =
  ({ objects, store }: SaveUploadDeps) =>
  async <T extends UploadRow>(
    contents: readonly ObjectContent[],
    rowOf: (sizes: readonly number[]) => T,
    more?: (tx: Db, row: T) => Promise<void>,
  ): Promise<T> => {
    try {
      const sizes: number[] = [];
      for (const { key, bytes } of contents) sizes.push((await objects.put(key, bytes)).bytes);
      const row = rowOf(sizes);
      await store.add(row, more && ((tx) => more(tx, row)));
      return row;
    } catch (error) {
      // After a lost connection it is unknown whether the row was committed, so the objects are kept.
      if (!isConnectionLost(error)) await Promise.allSettled(contents.map(({ key }) => objects.remove(key)));
      throw error;
    }
  };
