import { LAST_EVENT_ID } from "@parley/contract";
import type { ApiCaller, HandlerContext } from "../../http/route-handlers.ts";
import type { StreamedReply } from "../../http/streamed.ts";
import { accessFingerprint, streamAccessOf } from "./access.ts";
import {
  createConnect,
  createSendEvents,
  cursorLine,
  type ConnectDeps,
  type EventStream,
  type OutOfLogTexts,
  type SendEventsDeps,
} from "./event-stream.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { StreamRules } from "./stream-rules.ts";

interface StreamReplyDeps extends SendEventsDeps, Pick<ConnectDeps, "store" | "now" | "retentionDays"> {
  readonly open: Pick<OpenStreams, "enter">;
  readonly rules: StreamRules;
  /** Starts the loops that streams need. */
  readonly begin: () => void;
  readonly failed: (error: unknown) => void;
}

/** Frames of a stream besides the events of the log. */
export interface StreamExtension {
  /** Sent before everything else. */
  readonly start: string;
  readonly texts: OutOfLogTexts;
  /** Time between two keep-alive comments. @units milliseconds */
  readonly keepAliveMs: number;
  /** Called when the stream has ended; may be called again. */
  readonly close: () => void;
}

interface StreamRequest {
  readonly caller: ApiCaller;
  readonly request: Pick<HandlerContext["request"], "header">;
  readonly types?: string | undefined;
  /** Restricts the stream to events of a conversation. @errors those of the endpoint */
  readonly conversationId?: () => Promise<string | undefined>;
  /** Called once the stream has a place. */
  readonly extend?: () => StreamExtension;
}

/** Begins the streams of events, with their limits. @errors INVALID_VALUE, FORBIDDEN, TOO_MANY_STREAMS, SERVICE_UNAVAILABLE */
export const createStreamReply = (deps: StreamReplyDeps) => {
  const { open, rules, begin, failed } = deps;
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

  return async ({ caller, request, types, conversationId, extend }: StreamRequest): Promise<StreamedReply> => {
    const accountId = caller.account.id;
    const access = streamAccessOf(caller, types);
    const { signal, leave } = open.enter(caller.credentialId, accessFingerprint(caller.agent));
    let extension: StreamExtension | undefined;
    const onEnd = () => {
      leave();
      extension?.close();
    };
    begin();
    try {
      const onlyConversationId = await conversationId?.();
      const { from, reset } = await beginningOf(accountId, request.header(LAST_EVENT_ID), signal);
      const first = reset ? `event: reset\ndata: ${JSON.stringify(reset)}\n` : "";
      extension = extend?.();
      const { start = "", texts: outOfLog, keepAliveMs } = extension ?? {};
      const stream = { accountId, access, conversationId: onlyConversationId, from, signal, outOfLog, keepAliveMs };
      return { chunks: chunksOf(stream, first, start), signal, onEnd, stallMs: rules.stallMs, onError: failed };
    } catch (error) {
      onEnd();
      throw error;
    }
  };
};
export type StreamReply = ReturnType<typeof createStreamReply>;
