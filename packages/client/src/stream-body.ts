import type { Readable } from "node:stream";

/** The body of a response as it arrives: a stream of Node, or a web stream. */
export type StreamBody = Readable | ReadableStream<Uint8Array>;

/** A connection without data or keep-alive for this time is considered dead: three keep-alives are missing. @units milliseconds */
const SILENCE_TIMEOUT_MS = 50_000;

interface Chunks {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends the connection, and with it the iteration. */
  readonly end: () => void;
}

async function* chunksOfReader(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

export const chunksOf = (body: StreamBody): Chunks => {
  if (!("getReader" in body)) return { chunks: body, end: () => void body.destroy() };
  // Not all browsers can iterate over a web stream.
  const reader = body.getReader();
  return { chunks: chunksOfReader(reader), end: () => void reader.cancel().catch(() => undefined) };
};

/**
 * The bytes of a connection until it ends, fails, stays silent too long or the signal is aborted. The caller then reconnects, unless the
 * signal is aborted.
 * @shape silenceMs: -> how long it may be silent from now on @units milliseconds
 */
export async function* bytesOf(
  body: StreamBody,
  signal: AbortSignal,
  silenceMs: () => number = () => SILENCE_TIMEOUT_MS,
): AsyncGenerator<Uint8Array, void> {
  const { chunks, end } = chunksOf(body);
  let silence = setTimeout(end, silenceMs());
  // The fetch of Node forgets the signal of a request once the response has begun.
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  try {
    for await (const chunk of chunks) {
      clearTimeout(silence);
      yield chunk;
      // The events that were read may have changed how long the connection may be silent.
      silence = setTimeout(end, silenceMs());
    }
  } catch {
    // The caller reconnects.
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", end);
    end();
  }
}
