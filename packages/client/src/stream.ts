import type { EventInStream, StreamEventKind, StreamReset } from "@parley/contract";
import { framesOf, type Frame } from "./event-stream.ts";
import { isNoAnswerError } from "./no-answer.ts";
import { pauseBeforeReconnect, random } from "./ports.ts";
import { isProblemError } from "./problem-error.ts";
import { retryAfterMs } from "./retry.ts";
import { bytesOf, type StreamBody } from "./stream-body.ts";

/** An item of the stream: an event, or a reset after which events may be missing. */
export type StreamItem =
  | { readonly id: string; readonly event: StreamEventKind; readonly data: EventInStream }
  | { readonly id: string; readonly event: "reset"; readonly data: StreamReset };

/** State of a stream's connection. `waiting`: it was lost or refused and is opened again after a pause. */
export type StreamState = "connecting" | "open" | "waiting";

export interface StreamOptions {
  /** `id` of the last processed item: the stream continues after it. Default: new events only. */
  readonly lastEventId?: string;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
  /** Called when the state of the connection changes. */
  readonly onState?: (state: StreamState) => void;
  /** -> how long the connection may be silent from now on before it is considered lost. Default: 50 seconds. @units milliseconds */
  readonly silenceMs?: () => number;
}

export interface StreamInput extends StreamOptions {
  readonly query?: {
    /** Comma-separated kinds. Default: all that the token may read. */
    readonly types?: string;
    readonly conversation_id?: string;
  };
}

/** Iterates ended events. Reconnects automatically and resumes after the last event, without duplicates or gaps. */
export type StreamCall = (input?: StreamInput) => AsyncIterable<StreamItem>;

/** Opens one connection. @errors ProblemError, NoAnswerError */
export type OpenStream = (lastEventId: string | undefined, signal: AbortSignal) => Promise<StreamBody>;

/** Pause before a reconnect without a `retry` field: initial, doubling up to the maximum. @units milliseconds */
const reconnectDelayMs = { initial: 1_000, max: 30_000 };

/** True if the service is unavailable temporarily. Other errors are permanent. */
const isTemporary = (error: unknown): boolean =>
  isNoAnswerError(error) || (isProblemError(error) && (error.problem.code === 429 || error.problem.code >= 500));

/** The pause that a refusal asks for. @units milliseconds */
const requestedDelayMs = (error: unknown): number => (isProblemError(error) && retryAfterMs(error.headers)) || 0;

const itemOf = ({ event, data }: Frame, id: string): StreamItem | undefined =>
  data === undefined ? undefined : ({ id, event, data: JSON.parse(data) as unknown } as StreamItem);

/**
 * @shape isPatient: whether a temporary error of the first connection leads to a reconnect, as one of a later connection does
 * @errors permanent errors; unless it is patient, errors of the first connection
 */
export async function* streamItems(
  open: OpenStream,
  input: StreamOptions,
  { isPatient }: { readonly isPatient: boolean },
): AsyncGenerator<StreamItem, void> {
  const ended = new AbortController();
  const signal = input.signal ? AbortSignal.any([input.signal, ended.signal]) : ended.signal;
  let { lastEventId } = input;
  let delayMs = reconnectDelayMs.initial;
  let failures = 0;
  let isFirst = true;
  try {
    while (!signal.aborted) {
      let minDelayMs = 0;
      input.onState?.("connecting");
      try {
        const body = await open(lastEventId, signal);
        isFirst = false;
        input.onState?.("open");
        for await (const frame of framesOf(bytesOf(body, signal, input.silenceMs))) {
          failures = 0;
          delayMs = frame.retry ?? delayMs;
          lastEventId = frame.id ?? lastEventId;
          const item = itemOf(frame, lastEventId ?? "");
          if (item) yield item;
        }
      } catch (error) {
        if (signal.aborted) return;
        if ((isFirst && !isPatient) || !isTemporary(error)) throw error;
        minDelayMs = requestedDelayMs(error);
      }
      if (signal.aborted) return;
      input.onState?.("waiting");
      // With jitter: clients that were disconnected together don't reconnect together.
      const jitteredMs = Math.min(delayMs * 2 ** failures++, reconnectDelayMs.max) * (0.5 + random() / 2);
      await pauseBeforeReconnect(jitteredMs, minDelayMs, signal);
    }
  } finally {
    ended.abort();
  }
}
