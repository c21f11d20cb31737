import type { Dispatcher } from "undici";
import { replyHeaders } from "./headers.ts";
import type { OutgoingMessage, OutgoingReply } from "./outgoing.ts";

export interface ExchangeLimits {
  readonly maxResponseBytes: number;
  readonly encoding: "utf8" | "base64";
  readonly tooLarge: () => Error;
  readonly signal: AbortSignal;
}

const readWithin = async (body: AsyncIterable<Uint8Array>, limits: ExchangeLimits): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop destroys the stream and its connection, so that no byte beyond the limit is read.
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limits.maxResponseBytes) throw limits.tooLarge();
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
  return {
    status: reply.statusCode,
    headers: replyHeaders(reply.headers),
    body: await readWithin(reply.body as AsyncIterable<Uint8Array>, limits),
  };
};
