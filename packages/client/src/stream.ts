import type { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { AxiosResponse } from "axios";
import type { EventInStream, StreamKind, StreamReset } from "@parley/contract";
import { framesOf, type Frame } from "./event-stream.ts";
import { isNoAnswerError } from "./no-answer.ts";
import { chance } from "./ports.ts";
import { isProblemError } from "./problem-error.ts";

/** What a stream tells: what happened, or that something may be missing. */
export type StreamItem =
  | { readonly id: string; readonly event: StreamKind; readonly data: EventInStream }
  | { readonly id: string; readonly event: "reset"; readonly data: StreamReset };

export interface StreamInput {
  readonly query?: {
    /** Kinds with commas between; all that the token may hear when absent. */
    readonly types?: string;
    readonly conversation_id?: string;
  };
  /** The `id` of the last item that was dealt with: what follows it comes first. What happens from now on when absent. */
  readonly lastEventId?: string;
  /** Ends the walk. */
  readonly signal?: AbortSignal;
}

/** A walk over what happens, that connects again by itself and goes on where it was: nothing twice, nothing left out. */
export type StreamCall = (input?: StreamInput) => AsyncIterable<StreamItem>;

/** Opens one connection, as patiently as any call. @errors ProblemError, NoAnswerError */
export type OpenStream = (lastEventId: string | undefined, signal: AbortSignal) => Promise<Readable>;

/** A connection on which not even a sign of life came for so long is dead: three are left out. @units milliseconds */
const SILENCE = 50_000;
/** Before it connects again, where nobody says how long; it doubles up to the longest. @units milliseconds */
const [PAUSE, LONGEST] = [1_000, 30_000];

/** A refusal comes as a stream too, where one was asked for: read whole it is as any other. */
export const refusalRead = async (response: AxiosResponse<unknown>): Promise<AxiosResponse<unknown>> => {
  if (response.status >= 200 && response.status <= 299) return response;
  let text = "";
  for await (const chunk of response.data as Readable) text += String(chunk);
  try {
    return { ...response, data: JSON.parse(text) as unknown };
  } catch {
    return { ...response, data: text };
  }
};

/** The service is away, or says "not now": it will be back. Anything else stays as it is. */
const isPassing = (error: unknown): boolean =>
  isNoAnswerError(error) || (isProblemError(error) && (error.problem.code === 429 || error.problem.code >= 500));

const itemOf = ({ event, data }: Frame, id: string): StreamItem | undefined =>
  data === undefined ? undefined : ({ id, event, data: JSON.parse(data) as unknown } as StreamItem);

/** The bytes of a connection until it ends, breaks or falls silent, which are all the same here. */
async function* bytesOf(body: Readable): AsyncGenerator<Uint8Array, void> {
  const silence = setTimeout(() => body.destroy(), SILENCE);
  try {
    for await (const chunk of body) {
      silence.refresh();
      yield chunk as Uint8Array;
    }
  } catch {
    // Whoever walks connects again.
  } finally {
    clearTimeout(silence);
    body.destroy();
  }
}

/** @errors what the first connection is refused with; later what no waiting mends */
export async function* itemsFrom(open: OpenStream, input: StreamInput): AsyncGenerator<StreamItem, void> {
  const over = new AbortController();
  const signal = input.signal ? AbortSignal.any([input.signal, over.signal]) : over.signal;
  let { lastEventId } = input;
  let pause = PAUSE;
  let failures = 0;
  let isFirst = true;
  try {
    while (!signal.aborted) {
      try {
        const body = await open(lastEventId, signal);
        isFirst = false;
        for await (const frame of framesOf(bytesOf(body))) {
          failures = 0;
          pause = frame.retry ?? pause;
          lastEventId = frame.id ?? lastEventId;
          const item = itemOf(frame, lastEventId ?? "");
          if (item) yield item;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (isFirst || !isPassing(error)) throw error;
      }
      // By chance in part: those who were cut off together do not come back together.
      const rest = Math.min(pause * 2 ** failures++, LONGEST) * (0.5 + chance() / 2);
      await wait(rest, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    over.abort();
  }
}
