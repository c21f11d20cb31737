import type { FastifyReply, FastifyRequest } from "fastify";

/** An answer that goes on until somebody ends it. */
export interface StreamedReply {
  /** Made as it is taken: a slow reader holds it up. */
  readonly chunks: AsyncIterable<string>;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** It is over, however it came to that. */
  readonly over: () => void;
  /** How long the reader may take nothing. @units milliseconds */
  readonly stallMs: number;
  readonly failed: (error: unknown) => void;
}

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  // Proxies that gather an answer before they pass it on would hold events back.
  "x-accel-buffering": "no",
};

/** Until what was written is on its way, or the connection is gone. A reader that takes nothing is let go. */
const taken = (raw: FastifyReply["raw"], stallMs: number): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      raw.off("drain", done).off("close", done);
      resolve();
    };
    const timer = setTimeout(() => raw.destroy(), stallMs);
    raw.on("drain", done).on("close", done);
  });

const isOver = ({ destroyed, writableEnded }: FastifyReply["raw"]): boolean => destroyed || writableEnded;

/** Sends what comes, past the web server's own way to answer; headers that it was told stay. */
export function sendStreamedReply(request: FastifyRequest, reply: FastifyReply, streamed: StreamedReply): FastifyReply {
  const { chunks, signal, over, stallMs, failed } = streamed;
  const { raw } = reply.hijack();
  for (const [name, value] of Object.entries(HEADERS)) raw.setHeader(name, value);
  raw.once("close", over);

  // What a slow reader has not taken by the end it need not get: it asks for it again.
  const end = () => {
    if (raw.writableNeedDrain) raw.destroy();
    else if (!isOver(raw)) raw.end();
  };
  const send = async (): Promise<void> => {
    raw.flushHeaders();
    for await (const chunk of chunks) {
      if (isOver(raw)) return;
      if (!raw.write(chunk)) await taken(raw, stallMs);
    }
  };
  if (request.method === "HEAD" || signal.aborted) {
    over();
    raw.end();
    return reply;
  }
  signal.addEventListener("abort", end, { once: true });
  send()
    .catch(failed)
    .finally(() => {
      over();
      end();
    });
  return reply;
}
