import type { Readable } from "node:stream";

/** Size and digest of a stored object. */
export interface StoredObject {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** An object in a listing. */
export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
  /** Time since the object was put, by the clock of the storage. @units milliseconds */
  readonly ageMs: number;
}

/** First and last byte position, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** The content of an object or of a part of it. */
export interface ObjectContent {
  /** Size of the whole object. */
  readonly bytes: number;
  readonly content: Readable;
}

/** Storage for uploads and reports. @errors ObjectStoreFailure of each method, when the storage does not do what it is asked */
export interface ObjectStore {
  /**
   * Atomic: an incomplete content stores nothing, and an existing object is replaced as a whole. Repeating a put is
   * safe. It resolves when the object survives a power loss of the service.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<StoredObject>;
  /** -> undefined if there is no such object. The reader must read or destroy the content. */
  read(key: string, range?: ByteRange): Promise<ObjectContent | undefined>;
  /** -> undefined if there is no such object. @units bytes */
  size(key: string): Promise<number | undefined>;
  /** Size and digest: the recorded values if the storage has them, otherwise those of the content. -> undefined if there is no such object */
  describe(key: string): Promise<StoredObject | undefined>;
  /** Succeeds if there is no such object. */
  remove(key: string): Promise<void>;
  /** Removes every object whose key begins with `prefix` and a slash. May be called again. */
  removeAll(prefix: string): Promise<void>;
  /** All objects, sorted in no particular way. One that is present before and after the iteration is listed despite concurrent changes. */
  list(): AsyncIterable<ListedObject>;
  /** Removes what interrupted puts have left, if it is older. -> how many. @units milliseconds */
  removeIncomplete(minAgeMs: number): Promise<number>;
  /** Writes, reads and removes a small object. @errors UsageFailure that names the setting to correct */
  check(): Promise<void>;
  /** Space of the disk; undefined for a storage that does not say it. */
  space(): Promise<StorageSpace | undefined>;
}

/** @units bytes */
export interface StorageSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** Why a storage does not do what it is asked. */
export type StorageTrouble = "full" | "read-only" | "unavailable";

/** The storage can't be reached, is full, or refuses a request. The message is for operators. */
export class ObjectStoreFailure extends Error {
  override readonly name = "ObjectStoreFailure";
  readonly trouble: StorageTrouble;
  constructor(message: string, trouble: StorageTrouble = "unavailable") {
    super(message);
    this.trouble = trouble;
  }
}

/** Letters, digits, `_`, `-` and inner dots between slashes: a key cannot leave the folder or name a hidden entry. */
const KEY = /^(?=.{1,512}$)[\w-][\w.-]{0,199}(?:\/[\w-][\w.-]{0,199})*$/;

/** Whether a text is a valid key. */
export const isKey = (text: string): boolean => KEY.test(text);

/** @errors Error for an invalid key, which is a defect of the caller */
export const validKey = (key: string): string => {
  if (isKey(key)) return key;
  throw new Error(`${JSON.stringify(key)} is not a key of an object`);
};
