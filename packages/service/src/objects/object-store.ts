import type { Readable } from "node:stream";

/** Size and digest of a stored object. */
interface StoredObject {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** First and last byte position, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Storage for uploads and reports. The default is a folder; any object storage can implement it. */
export interface ObjectStore {
  /**
   * Atomic: an incomplete content stores nothing, and an existing object is replaced as a whole. Repeating a put is
   * safe.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<StoredObject>;
  /** -> undefined if there is no such object. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** -> undefined if there is no such object. @units bytes */
  size(key: string): Promise<number | undefined>;
  /** Succeeds if there is no such object. */
  remove(key: string): Promise<void>;
}

/** The object that a signed URL refers to. */
export interface ObjectHead {
  readonly key: string;
  readonly contentType: string;
  /** Name under which a browser saves it. */
  readonly fileName?: string;
  /** Validity of the URL. @units seconds */
  readonly seconds: number;
}

/** Creates URLs that need no token until they expire. */
export interface SignedAddresses {
  /** -> absolute URL; `origin` is that of the request, such as `http://127.0.0.1:10002`. */
  sign(head: ObjectHead, origin: string): string;
}
