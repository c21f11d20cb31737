import type { Dispatcher } from "undici";
import { replyHeaders } from "./headers.ts";
import type { OutgoingMessage, OutgoingReply } from "./outgoing.ts";

interface ExchangeLimits {
  readonly maxResponseBytes: number;
  readonly encoding: "utf8" | "base64";
  readonly admitBody?: ((bytes: number) => Promise<void>) | undefined;
  readonly tooLarge: () => Error;
  readonly signal: AbortSignal;
}

/** A smaller response is read without waiting for admission. @units bytes */
const ADMITTED_BYTES_MIN = 64 * 1024;

/** @shape announced: the length that the response announces, if it does @units bytes */
const readWithin = async (
  body: AsyncIterable<Uint8Array>,
  limits: ExchangeLimits,
  announced: number,
): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let isAdmitted = false;
  // Leaving the loop destroys the stream and its connection, so that no byte beyond the limit is read.
  for await (const chunk of body) {
    size += chunk.byteLength;
    // Only a response with a body is read: a response to HEAD announces the length of another response.
    if (Math.max(size, announced || 0) > limits.maxResponseBytes) throw limits.tooLarge();
    if (size > ADMITTED_BYTES_MIN && !isAdmitted) {
      isAdmitted = true;
      // A length that is not announced, or that is wrong, counts as the maximum.
      const isAnnounced = announced >= size && announced <= limits.maxResponseBytes;
      await limits.admitBody?.(isAnnounced ? announced : limits.maxResponseBytes);
      limits.signal.throwIfAborted();
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size).toString(limits.encoding);
};

/** Sends one request and reads its response. Redirects are not followed. */
export const exchange = async (
  connection: Dispatcher,
  message: OutgoingMessage,
  limits: ExchangeLimits,
): Promise<Omit<OutgoingReply, "attempts">> => {
  const reply = await connection.request({ ...message, signal: limits.signal });
  const headers = replyHeaders(reply.headers);
  const announced = Number(headers["content-length"] ?? Number.NaN);
  return {
    status: reply.statusCode,
    headers,
    body: await readWithin(reply.body as AsyncIterable<Uint8Array>, limits, announced),
  };
};
