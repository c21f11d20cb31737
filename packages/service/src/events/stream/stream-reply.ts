import { LAST_EVENT_ID } from "@parley/contract";
import type { HandlerContext } from "../../http/route-handlers.ts";
import type { StreamedReply } from "../../http/streamed.ts";
import {
  createConnect,
  createSendEvents,
  cursorLine,
  type ConnectDeps,
  type EventStream,
  type OutOfLogTexts,
  type SendEventsDeps,
} from "./event-stream.ts";
import type { StreamSubject } from "./log-reader.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { StreamRules } from "./stream-rules.ts";

interface StreamReplyDeps extends SendEventsDeps, Pick<ConnectDeps, "store" | "now" | "retentionDays"> {
  readonly rules: Pick<StreamRules, "retryMs" | "stallMs">;
  /** Starts the loops that streams need. */
  readonly begin: () => void;
  readonly failed: (error: unknown) => void;
}

/** Frames of a stream besides the events of the log. */
export interface StreamExtension {
  /** Sent before everything else. */
  readonly start: string;
  readonly texts: OutOfLogTexts;
  /** Called when the stream has ended; may be called again. */
  readonly close: () => void;
}

interface StreamRequest extends Pick<EventStream, "accountId" | "frameOf" | "keepAlives"> {
  /** Takes a place for the stream. @errors TOO_MANY_STREAMS, SERVICE_UNAVAILABLE */
  readonly enter: () => ReturnType<OpenStreams["enter"]>;
  readonly request: Pick<HandlerContext["request"], "header">;
  /** Restricts the stream to events of a conversation or a user. @errors those of the endpoint */
  readonly subject?: () => Promise<StreamSubject | undefined>;
  readonly isWanted: EventStream["isWanted"];
  /** Positions that the stream may be behind when it begins. */
  readonly span?: number;
  /** Called once the stream has a place. */
  readonly extend?: () => StreamExtension;
}

/** Begins the streams of events, with their limits. @errors INVALID_VALUE, TOO_MANY_STREAMS, SERVICE_UNAVAILABLE */
export const createStreamReply = (deps: StreamReplyDeps) => {
  const { rules, begin, failed } = deps;
  const beginningOf = createConnect(deps);

  /** The cursor is sent first: a reader that is disconnected before the first event continues from there. */
  async function* chunksOf(
    stream: EventStream,
    first: string,
    start: string,
  ): AsyncGenerator<string | Uint8Array, void> {
    yield `retry: ${rules.retryMs}\n${start}${first}${cursorLine(stream.from)}\n`;
    yield* createSendEvents(deps, stream);
  }

  return async ({ enter, request, subject, span, extend, ...wanted }: StreamRequest): Promise<StreamedReply> => {
    const { signal, leave } = enter();
    let extension: StreamExtension | undefined;
    const onEnd = () => {
      leave();
      extension?.close();
    };
    begin();
    try {
      const only = await subject?.();
      const { from, reset } = await beginningOf(wanted.accountId, request.header(LAST_EVENT_ID), signal, span);
      const first = reset ? `event: reset\ndata: ${JSON.stringify(reset)}\n` : "";
      extension = extend?.();
      const { start = "", texts: outOfLog } = extension ?? {};
      const stream = { ...wanted, subject: only, from, signal, outOfLog };
      return { chunks: chunksOf(stream, first, start), signal, onEnd, stallMs: rules.stallMs, onError: failed };
    } catch (error) {
      onEnd();
      throw error;
    }
  };
};
export type StreamReply = ReturnType<typeof createStreamReply>;
