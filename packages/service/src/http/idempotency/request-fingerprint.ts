import { IDEMPOTENCY_KEY, INVALID_IDEMPOTENCY_KEY, isIdempotencyKey, refuse, type Upload } from "@parley/contract";
import type { IncomingHttpHeaders } from "node:http";
import { createHash, hash } from "node:crypto";

const NAME = IDEMPOTENCY_KEY.toLowerCase();

/**
 * Reads the Idempotency-Key header. Repeated headers arrive joined by a comma and a space and are refused. @errors
 * INVALID_IDEMPOTENCY_KEY
 */
export const idempotencyKeyIn = (headers: IncomingHttpHeaders): string | undefined => {
  const key = headers[NAME];
  if (key === undefined) return undefined;
  return typeof key === "string" && isIdempotencyKey(key) ? key : refuse(INVALID_IDEMPOTENCY_KEY);
};

/** Fingerprint of a request, over the part of the body that has been read. */
export interface RequestFingerprint {
  /** -> SHA-256 in hex of the bytes that have been read so far. */
  readonly now: () => string;
  /** -> SHA-256 in hex of the complete request; reads the rest of the body first. */
  readonly whole: () => Promise<string>;
}

/** The parts that identify a request besides its body. */
interface Head {
  readonly route: string;
  readonly params: unknown;
  readonly query: unknown;
}

/** JSON text contains no line feed, so the head ends unambiguously. */
const textOf = ({ route, params, query }: Head): string => `${JSON.stringify([route, params, query])}\n`;

const EMPTY = new Uint8Array();

/** Fingerprint of a request whose body is in memory, byte for byte as sent. */
export const fingerprintOf = (head: Head, body: Uint8Array | undefined): RequestFingerprint => {
  let hex: string | undefined;
  // One-shot hashing is considerably faster than incremental updates here.
  const now = () => (hex ??= hash("sha256", Buffer.concat([Buffer.from(textOf(head)), body ?? EMPTY]), "hex"));
  return { now, whole: () => Promise.resolve(now()) };
};

/** Fingerprint of an upload: its declared name and type, and its content as it streams through. */
export const createFingerprint = (
  head: Head,
  upload: Upload,
): { readonly requestFingerprint: RequestFingerprint; readonly upload: Upload } => {
  const { name, content_type } = upload;
  const running = createHash("sha256").update(`${textOf(head)}${JSON.stringify([name, content_type])}\n`);
  let hex: string | undefined;
  async function* passing() {
    for await (const chunk of upload.content) {
      running.update(chunk);
      yield chunk;
    }
  }
  const content = passing();
  const now = () => (hex ??= running.digest("hex"));
  return {
    requestFingerprint: {
      now,
      async whole() {
        for await (const _ of content);
        return now();
      },
    },
    upload: { name, content_type, content },
  };
};
