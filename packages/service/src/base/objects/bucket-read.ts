import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { ByteRange, ObjectContent } from "./object-store.ts";
import type { BucketClient } from "./bucket-client.ts";
import { failUnavailable } from "./bucket-failures.ts";
import type { BucketPlace } from "./bucket-settings.ts";

/** Connections that may break without a byte in between. */
const FRUITLESS_MAX = 3;

/** Size of the whole object in the reply to a request, with or without a range. */
const wholeSizeOf = ({ headers }: Pick<IncomingMessage, "headers">): number =>
  Number(headers["content-range"]?.split("/")[1] ?? headers["content-length"]);

/**
 * Opens the content of an object. After a broken connection it continues at the same position, as long as the object is the same. A
 * reader that pauses longer than the connection may be idle continues in the same way.
 * -> undefined if there is no such object @errors BucketRefusal, BucketUnavailable
 */
export async function readObject(
  place: BucketPlace,
  client: BucketClient,
  name: string,
  range?: ByteRange,
): Promise<ObjectContent | undefined> {
  const openAt = (first: number, last: number | undefined, etag?: string) => {
    const isPart = first > 0 || last !== undefined;
    const headers = { ...(isPart && { range: `bytes=${first}-${last ?? ""}` }), ...(etag && { "if-match": etag }) };
    return client.open({ method: "GET", name, headers });
  };
  const opened = await openAt(range?.first ?? 0, range?.last);
  if (opened.status === 404) return undefined;
  const bytes = wholeSizeOf(opened);
  const last = Math.min(range?.last ?? Infinity, bytes - 1);
  let reply = opened.content;
  let position = range?.first ?? 0;
  const content = async function* () {
    let fruitless = 0;
    try {
      while (position <= last) {
        const before = position;
        try {
          // A storage may ignore the range and send everything.
          let offset = reply.statusCode === 206 ? position : 0;
          for await (const chunk of reply as AsyncIterable<Buffer>) {
            const part = chunk.subarray(Math.max(0, position - offset), Math.max(0, last + 1 - offset));
            offset += chunk.byteLength;
            position += part.byteLength;
            if (part.byteLength > 0) yield part;
            if (position > last) break;
          }
          if (position <= last) throw new Error("the content ended early");
        } catch (error) {
          fruitless = position > before ? 0 : fruitless + 1;
          if (fruitless > FRUITLESS_MAX) failUnavailable(place, "GET", (error as Error).message);
          const again = await openAt(position, last, opened.headers.etag);
          if (again.status === 404) failUnavailable(place, "GET", "the object was removed while it was read");
          reply = again.content;
        }
      }
    } finally {
      reply.destroy();
    }
  };
  const stream = Readable.from(content(), { objectMode: false });
  // A reader that never begins leaves the generator unstarted.
  stream.once("close", () => reply.destroy());
  return { bytes, content: stream };
}
