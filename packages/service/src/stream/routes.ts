import { CONVERSATION_NOT_FOUND, LAST_EVENT_ID, refuse, stream } from "@parley/contract";
import type { FindConversationId } from "../conversations/find.ts";
import { defineRoutes } from "../http/route-handlers.ts";
import type { StreamedReply } from "../http/streamed.ts";
import { scopeFingerprint, streamAccessOf } from "./access.ts";
import {
  createConnect,
  createSendEvents,
  cursorLine,
  type ConnectDeps,
  type EventStream,
  type SendEventsDeps,
} from "./event-stream.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { StreamRules } from "./stream-rules.ts";
import type { StreamStore } from "./store.ts";

interface StreamDeps extends SendEventsDeps, Pick<ConnectDeps, "now" | "retentionDays"> {
  readonly open: Pick<OpenStreams, "enter">;
  readonly store: ConnectDeps["store"] & Pick<StreamStore, "hasConversation">;
  readonly findId: FindConversationId;
  readonly rules: StreamRules;
  /** Starts the loops that streams need. */
  readonly begin: () => void;
  readonly failed: (error: unknown) => void;
}

export const streamRoutes = (deps: StreamDeps) => {
  const { open, store, findId, rules, begin, failed } = deps;
  const beginningOf = createConnect(deps);

  /** The cursor is sent first: a reader that is disconnected before the first event continues from there. */
  async function* chunksOf(stream: EventStream, first: string): AsyncGenerator<string, void> {
    yield `retry: ${rules.retryMs}\n${first}${cursorLine(stream.from)}\n`;
    yield* createSendEvents(deps, stream);
  }

  /** @errors CONVERSATION_NOT_FOUND */
  const conversationOf = async (accountId: number, id: string | undefined): Promise<string | undefined> => {
    if (id === undefined) return undefined;
    const found = (await findId(accountId, id)) ?? refuse(CONVERSATION_NOT_FOUND);
    return (await store.hasConversation(accountId, found)) ? found : refuse(CONVERSATION_NOT_FOUND);
  };

  return defineRoutes(stream, {
    async events({ caller, query, request }): Promise<StreamedReply> {
      const accountId = caller.account.id;
      const access = streamAccessOf(caller, query.types);
      const { signal, leave } = open.enter(caller.credentialId, scopeFingerprint(caller.agent));
      begin();
      try {
        const conversationId = await conversationOf(accountId, query.conversation_id);
        const { from, reset } = await beginningOf(accountId, request.header(LAST_EVENT_ID), signal);
        const first = reset ? `event: reset\ndata: ${JSON.stringify(reset)}\n` : "";
        const chunks = chunksOf({ accountId, access, conversationId, from, signal }, first);
        return { chunks, signal, onEnd: leave, stallMs: rules.stallMs, onError: failed };
      } catch (error) {
        leave();
        throw error;
      }
    },
  });
};
