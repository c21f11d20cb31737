import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import type { StoredObject } from "./object-store.ts";
import { withScratchFile } from "./spool.ts";
import { errorIn, type BucketBody, type BucketClient } from "./bucket-client.ts";

/** Contents up to this size are not written to disk. @units bytes */
const MEMORY_MAX = 256 * 1024;

/** Metadata of an object: the digest of the whole content, in hex. */
export const SHA256_HEADER = "x-amz-meta-sha256";

/** A complete content, in parts that can be read several times. */
interface CompleteContent extends StoredObject {
  readonly parts: readonly BucketBody[];
}

const sha256Of = (chunks: readonly Uint8Array[]): string => {
  const hash = createHash("sha256");
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
};

const inMemory = (chunks: readonly Uint8Array[], bytes: number): CompleteContent => {
  const sha256 = sha256Of(chunks);
  return { bytes, sha256, parts: [{ bytes, sha256, open: () => Readable.from(chunks, { objectMode: false }) }] };
};

/** @units bytes */
const READ_BYTES = 256 * 1024;

/** Reads a part of a file. A stream of Node closes the file when an attempt is given up. */
async function* bytesOf(file: FileHandle, start: number, end: number): AsyncGenerator<Uint8Array> {
  for (let position = start; position < end;) {
    const length = Math.min(READ_BYTES, end - position);
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, position);
    if (bytesRead === 0) throw new Error("the received content was cut off");
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Writes chunks to a file, and computes the digests of the parts and of the whole on the way. */
const toFile = async (
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  partBytes: number,
): Promise<CompleteContent> => {
  const whole = createHash("sha256");
  const parts: BucketBody[] = [];
  let [bytes, begin, hash] = [0, 0, createHash("sha256")];
  const endPart = () => {
    const [start, end] = [begin, bytes];
    const open = () => Readable.from(bytesOf(file, start, end), { objectMode: false });
    parts.push({ bytes: bytes - start, sha256: hash.digest("hex"), open });
    [begin, hash] = [bytes, createHash("sha256")];
  };
  for await (const chunk of content) {
    whole.update(chunk);
    await file.writeFile(chunk);
    for (let rest = chunk; rest.byteLength > 0;) {
      const piece = rest.subarray(0, begin + partBytes - bytes);
      hash.update(piece);
      bytes += piece.byteLength;
      rest = rest.subarray(piece.byteLength);
      if (bytes - begin === partBytes) endPart();
    }
  }
  if (bytes > begin) endPart();
  return { bytes, sha256: whole.digest("hex"), parts };
};

/** Reads the first chunks, as many as may be in memory. @shape isComplete: there are no others */
const readFirst = async (content: AsyncIterator<Uint8Array>) => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= MEMORY_MAX) {
    const next = await content.next();
    if (next.done) return { chunks, bytes, isComplete: true };
    chunks.push(next.value);
    bytes += next.value.byteLength;
  }
  return { chunks, bytes, isComplete: false };
};

/**
 * Passes a complete content to `work`. A larger one is first received in a file without a name, so that slow senders occupy neither memory
 * nor a connection to the storage, and attempts can be repeated.
 */
const withComplete = async <T>(
  content: AsyncIterable<Uint8Array>,
  { folder, partBytes }: PutRules,
  work: (complete: CompleteContent) => Promise<T>,
): Promise<T> => {
  const iterator = content[Symbol.asyncIterator]();
  try {
    const { chunks, bytes, isComplete } = await readFirst(iterator);
    if (isComplete) return await work(inMemory(chunks, bytes));
    const all = async function* () {
      yield* chunks;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    };
    return await withScratchFile(folder, async (file) => work(await toFile(file, all(), partBytes)));
  } finally {
    await iterator.return?.();
  }
};

/** Where contents are received, and the size beyond which they are sent in parts. */
export interface PutRules {
  readonly folder: string;
  /** 5 MiB at least, according to S3. */
  readonly partBytes: number;
}

/** The storage's answer to a completion can be an error with the status of success. */
const complete = async (client: BucketClient, name: string, uploadId: string, etags: readonly string[]) => {
  const parts = etags.map((etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
  const xml = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
  const body = {
    bytes: xml.byteLength,
    sha256: sha256Of([xml]),
    open: () => Readable.from([xml], { objectMode: false }),
  };
  const { text } = await client.send({ method: "POST", name, query: { uploadId }, body });
  if (!text.includes("<Error>")) return;
  const { code, detail } = errorIn(text);
  throw new Error(`the storage could not join the parts of an object: ${code} ${detail}`);
};

const putParts = async (
  client: BucketClient,
  name: string,
  content: CompleteContent,
  headers: PutHeaders,
): Promise<void> => {
  const { text } = await client.send({ method: "POST", name, query: { uploads: "" }, headers });
  const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(text)?.[1];
  if (uploadId === undefined) throw new Error("the storage began no multipart upload");
  try {
    const etags: string[] = [];
    for (const [index, body] of content.parts.entries()) {
      const query = { partNumber: String(index + 1), uploadId };
      const { headers: reply } = await client.send({ method: "PUT", name, query, body });
      etags.push(reply.etag ?? "");
    }
    await complete(client, name, uploadId, etags).catch(async (error: unknown) => {
      // A completion that was repeated because its reply got lost finds no upload.
      const { headers: present } = await client.send({ method: "HEAD", name });
      if (present[SHA256_HEADER] !== content.sha256) throw error;
    });
  } catch (error) {
    await client.send({ method: "DELETE", name, query: { uploadId } }).catch(() => undefined);
    throw error;
  }
};

type PutHeaders = Readonly<Record<string, string>>;

/** Stores an object. It appears when all of it has arrived. @errors BucketRefusal, BucketUnavailable; errors of the content */
export const putObject = (
  client: BucketClient,
  name: string,
  content: AsyncIterable<Uint8Array>,
  rules: PutRules,
): Promise<StoredObject> =>
  withComplete(content, rules, async (received) => {
    const { bytes, sha256, parts } = received;
    const headers = { "content-type": "application/octet-stream", [SHA256_HEADER]: sha256 };
    const [first] = parts;
    if (parts.length > 1 || !first) await putParts(client, name, received, headers);
    else await client.send({ method: "PUT", name, headers, body: first });
    return { bytes, sha256 };
  });
