import { isConnectionLost, type Db } from "@parley/database";
import type { ObjectStore } from "../objects/objects.ts";
import type { UploadRow, UploadStore } from "./store.ts";

/** One content under its key. */
export interface Content {
  readonly key: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** The bytes of something that is whole already. */
export async function* bytesOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}

export interface KeepingDeps {
  readonly objects: ObjectStore;
  readonly store: UploadStore;
}

/**
 * Keeps the contents of an upload, then its row with what `more` writes in the same transaction; when either fails, nothing of it stays. A process that dies between leaves objects that no
 * row names: nobody ever got an address of them.
 * @shape rowOf: makes the row out of the size of each content
 */
export const keeping =
  ({ objects, store }: KeepingDeps) =>
  async <T extends UploadRow>(
    contents: readonly Content[],
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
      // Then nobody knows whether the row stands.
      if (!isConnectionLost(error)) await Promise.allSettled(contents.map(({ key }) => objects.remove(key)));
      throw error;
    }
  };
