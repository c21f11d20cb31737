import type { FastifyReply, FastifyRequest } from "fastify";

/** A reply of unlimited length that ends by itself, such as an export: lines of JSON, pulled with backpressure. */
export interface StreamedLines {
  /** Chunks of complete lines. An error ends the connection, so that the reader does not take a part for the whole. */
  readonly lines: AsyncIterable<string>;
}

/** A reply of unlimited length. */
export interface StreamedReply {
  /** Pulled with backpressure: a slow reader delays it. */
  readonly chunks: AsyncIterable<string | Uint8Array>;
  /** Ends the reply. */
  readonly signal: AbortSignal;
  /** Called once the reply has ended for any reason. */
  readonly onEnd: () => void;
  /** Maximum time without progress of the reader. @units milliseconds */
  readonly stallMs: number;
  readonly onError: (error: unknown) => void;
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // Prevents buffering by proxies, which would delay events.
  "x-accel-buffering": "no",
};

/** Resolves when the written data is sent or the connection is closed. A reader without progress is disconnected. */
const drained = (raw: FastifyReply["raw"], stallMs: number): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      raw.off("drain", done).off("close", done);
      resolve();
    };
    const timer = setTimeout(() => raw.destroy(), stallMs);
    raw.on("drain", done).on("close", done);
  });

const isEnded = ({ destroyed, writableEnded }: FastifyReply["raw"]): boolean => destroyed || writableEnded;

/** Sends the chunks on the raw reply. Headers that are already set are kept. */
export function sendStreamedReply(request: FastifyRequest, reply: FastifyReply, streamed: StreamedReply): FastifyReply {
  const { chunks, signal, onEnd, stallMs, onError } = streamed;
  const { raw } = reply.hijack();
  for (const [name, value] of Object.entries(HEADERS)) raw.setHeader(name, value);
  raw.once("close", onEnd);

  // A slow reader doesn't receive the pending data. It requests the data again.
  const end = () => {
    if (raw.writableNeedDrain) raw.destroy();
    else if (!isEnded(raw)) raw.end();
  };
  const send = async (): Promise<void> => {
    raw.flushHeaders();
    for await (const chunk of chunks) {
      if (isEnded(raw)) return;
      if (!raw.write(chunk)) await drained(raw, stallMs);
    }
  };
  if (request.method === "HEAD" || signal.aborted) {
    onEnd();
    raw.end();
    return reply;
  }
  signal.addEventListener("abort", end, { once: true });
  send()
    .catch(onError)
    .finally(() => {
      onEnd();
      end();
    });
  return reply;
}
