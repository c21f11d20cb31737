import type { Readable } from "node:stream";

/** What was kept of a content. */
export interface Kept {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

/** Positions of the first and the last byte that are wanted, both inclusive. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/** Where the bytes of uploads and reports lie: a folder by default; any store of objects can stand behind the same few verbs. */
export interface ObjectStore {
  /**
   * Whole or not at all: a content that ends early leaves nothing. What lay under the key before is replaced whole, so that work that
   * is done a second time does no harm.
   */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<Kept>;
  /** -> undefined where there is none. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  /** -> undefined where there is none. @units bytes */
  size(key: string): Promise<number | undefined>;
  /** Nothing to remove is no failure. */
  remove(key: string): Promise<void>;
}

/** What a signed address leads to. */
export interface Lead {
  readonly key: string;
  readonly contentType: string;
  /** Name that a browser saves it under. */
  readonly fileName?: string;
  /** How long the address works. @units seconds */
  readonly seconds: number;
}

/** Makes addresses that are good without a token until they expire. */
export interface SignedAddresses {
  /** -> absolute address; `origin` is that of the request, such as `http://127.0.0.1:10002`. */
  sign(lead: Lead, origin: string): string;
}
