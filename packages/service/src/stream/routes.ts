import { CONVERSATION_NOT_FOUND, LAST_EVENT_ID, refuse, stream } from "@parley/contract";
import type { FindId } from "../conversations/finding.ts";
import { slice } from "../http/slice.ts";
import type { Streamed } from "../http/streamed.ts";
import { accessOf } from "./access.ts";
import { beginnings, type BeginningDeps } from "./beginning.ts";
import type { OpenStreams } from "./open.ts";
import type { StreamRules } from "./rules.ts";
import type { StreamStore } from "./store.ts";
import { placeLine, telling, type Told, type TellingDeps } from "./telling.ts";

export interface StreamDeps extends TellingDeps, Pick<BeginningDeps, "now" | "keptDays"> {
  readonly open: Pick<OpenStreams, "enter">;
  readonly store: BeginningDeps["store"] & Pick<StreamStore, "hasConversation">;
  readonly findId: FindId;
  readonly rules: StreamRules;
  /** Begins what works beside the streams. */
  readonly begin: () => void;
  readonly failed: (error: unknown) => void;
}

export const streamSlice = (deps: StreamDeps) => {
  const { open, store, findId, rules, begin, failed } = deps;
  const beginningOf = beginnings(deps);

  /** The place comes first: who is cut off before the first event goes on from there. */
  async function* chunksOf(told: Told, first: string): AsyncGenerator<string, void> {
    yield `retry: ${rules.retryMs}\n${first}${placeLine(told.from)}\n`;
    yield* telling(deps, told);
  }

  /** @errors CONVERSATION_NOT_FOUND */
  const conversationOf = async (accountId: number, id: string | undefined): Promise<string | undefined> => {
    if (id === undefined) return undefined;
    const found = (await findId(accountId, id)) ?? refuse(CONVERSATION_NOT_FOUND);
    return (await store.hasConversation(accountId, found)) ? found : refuse(CONVERSATION_NOT_FOUND);
  };

  return slice(stream, {
    async events({ caller, query, request }): Promise<Streamed> {
      const accountId = caller.account.id;
      const access = accessOf(caller.permissions, query.types);
      const { signal, leave } = open.enter(caller.tokenId);
      begin();
      try {
        const conversationId = await conversationOf(accountId, query.conversation_id);
        const { from, reset } = await beginningOf(accountId, request.header(LAST_EVENT_ID), signal);
        const first = reset ? `event: reset\ndata: ${JSON.stringify(reset)}\n` : "";
        const chunks = chunksOf({ accountId, access, conversationId, from, signal }, first);
        return { chunks, signal, over: leave, stallMs: rules.stallMs, failed };
      } catch (error) {
        leave();
        throw error;
      }
    },
  });
};
