import type { Readable } from "node:stream";
import type { AxiosInstance, AxiosRequestConfig, AxiosResponse } from "axios";
import type { EventInStream, StreamEventKind, StreamReset } from "@parley/contract";
import { framesOf, type Frame } from "./event-stream.ts";
import { isNoAnswerError } from "./no-answer.ts";
import { delay, random } from "./ports.ts";
import { isProblemError } from "./problem-error.ts";

/** An item of the stream: an event, or a reset after which events may be missing. */
export type StreamItem =
  | { readonly id: string; readonly event: StreamEventKind; readonly data: EventInStream }
  | { readonly id: string; readonly event: "reset"; readonly data: StreamReset };

export interface StreamInput {
  readonly query?: {
    /** Comma-separated kinds. Default: all that the token may read. */
    readonly types?: string;
    readonly conversation_id?: string;
  };
  /** `id` of the last processed item: the stream continues after it. Default: new events only. */
  readonly lastEventId?: string;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

/** Iterates ended events. Reconnects automatically and resumes after the last event, without duplicates or gaps. */
export type StreamCall = (input?: StreamInput) => AsyncIterable<StreamItem>;

/** The body of a response as it arrives: a stream of Node, or a web stream in a browser. */
export type StreamBody = Readable | ReadableStream<Uint8Array>;

/** Options of a request whose response is read as it arrives. Of the adapters for browsers, only `fetch` provides a stream. */
export const streamOptions = ({ defaults }: AxiosInstance): AxiosRequestConfig => ({
  responseType: "stream",
  // The default is a list; a caller's own adapter is kept.
  ...(Array.isArray(defaults.adapter) && { adapter: ["http", "fetch"] }),
});

/** Opens one connection, with the retries of any call. @errors ProblemError, NoAnswerError */
export type OpenStream = (lastEventId: string | undefined, signal: AbortSignal) => Promise<StreamBody>;

/** A connection without data or keep-alive for this time is considered dead: three keep-alives are missing. @units milliseconds */
const silenceTimeoutMs = 50_000;
/** Pause before a reconnect without a `retry` field: initial, doubling up to the maximum. @units milliseconds */
const reconnectDelayMs = { initial: 1_000, max: 30_000 };

interface Chunks {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Ends the connection, and with it the iteration. */
  readonly end: () => void;
}

async function* chunksOfReader(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}

const chunksOf = (body: StreamBody): Chunks => {
  if (!("getReader" in body)) return { chunks: body, end: () => void body.destroy() };
  // Not all browsers can iterate over a web stream.
  const reader = body.getReader();
  return { chunks: chunksOfReader(reader), end: () => void reader.cancel().catch(() => undefined) };
};

/** An error response to a stream request arrives as a stream: read it completely and parse it. */
export const readErrorBody = async (response: AxiosResponse<unknown>): Promise<AxiosResponse<unknown>> => {
  if (response.status >= 200 && response.status <= 299) return response;
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunksOf(response.data as StreamBody).chunks)
    text += decoder.decode(chunk, { stream: true });
  try {
    return { ...response, data: JSON.parse(text) as unknown };
  } catch {
    return { ...response, data: text };
  }
};

/** True if the service is unavailable temporarily. Other errors are permanent. */
const isTemporary = (error: unknown): boolean =>
  isNoAnswerError(error) || (isProblemError(error) && (error.problem.code === 429 || error.problem.code >= 500));

const itemOf = ({ event, data }: Frame, id: string): StreamItem | undefined =>
  data === undefined ? undefined : ({ id, event, data: JSON.parse(data) as unknown } as StreamItem);

/** The bytes of a connection until it ends, fails or stays silent too long. All three lead to a reconnect. */
async function* bytesOf(body: StreamBody): AsyncGenerator<Uint8Array, void> {
  const { chunks, end } = chunksOf(body);
  let silence = setTimeout(end, silenceTimeoutMs);
  try {
    for await (const chunk of chunks) {
      clearTimeout(silence);
      silence = setTimeout(end, silenceTimeoutMs);
      yield chunk;
    }
  } catch {
    // The caller reconnects.
  } finally {
    clearTimeout(silence);
    end();
  }
}

/** @errors errors of the first connection; later, permanent errors */
export async function* streamItems(open: OpenStream, input: StreamInput): AsyncGenerator<StreamItem, void> {
  const ended = new AbortController();
  const signal = input.signal ? AbortSignal.any([input.signal, ended.signal]) : ended.signal;
  let { lastEventId } = input;
  let delayMs = reconnectDelayMs.initial;
  let failures = 0;
  let isFirst = true;
  try {
    while (!signal.aborted) {
      try {
        const body = await open(lastEventId, signal);
        isFirst = false;
        for await (const frame of framesOf(bytesOf(body))) {
          failures = 0;
          delayMs = frame.retry ?? delayMs;
          lastEventId = frame.id ?? lastEventId;
          const item = itemOf(frame, lastEventId ?? "");
          if (item) yield item;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isFirst || !isTemporary(error)) throw error;
      }
      // With jitter: clients that were disconnected together don't reconnect together.
      const jitteredMs = Math.min(delayMs * 2 ** failures++, reconnectDelayMs.max) * (0.5 + random() / 2);
      await delay(jitteredMs, signal).catch(() => undefined);
    }
  } finally {
    ended.abort();
  }
}
