import {
  CONVERSATION_NOT_FOUND,
  type BulkChangeResult,
  type ConversationChange,
  INTERNAL_SERVER_ERROR,
  isRefusal,
} from "@parley/contract";
import { failureText, type Log } from "@parley/telemetry";
import type { createChangeConversation } from "../../messaging/conversations/change.ts";
import type { AgentReach } from "../../messaging/conversations/reach.sql.ts";
import type { ApiCaller } from "../../http/route-handlers.ts";
import type { InboxViewer } from "./view.ts";

/** Changes of one request that are under way at the same time. @assumed */
const PARALLEL_CHANGES = 8;

interface ChangeSeveralDeps {
  readonly change: ReturnType<typeof createChangeConversation>;
  readonly reach: Pick<AgentReach, "conversation">;
  readonly log: Log;
}

/** Runs the work for each item, a few at a time. -> results in the order of the items */
const forEachOf = async <T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  const waiting = items.entries();
  const workers = Array.from({ length: PARALLEL_CHANGES }, async () => {
    for (const [index, item] of waiting) results[index] = await work(item);
  });
  await Promise.all(workers);
  return results;
};

/**
 * Applies one change to several conversations, each by itself as by PUT /v2/conversations/{conversation_id}.
 * @shape ids: ids or numbers; -> a result for each, in their order. Conversations outside the agent's scope count as unknown.
 */
export const createChangeSeveral =
  ({ change, reach, log }: ChangeSeveralDeps) =>
  (
    caller: Pick<ApiCaller, "account" | "agent">,
    viewer: InboxViewer,
    ids: readonly string[],
    input: ConversationChange,
  ): Promise<BulkChangeResult[]> =>
    forEachOf(ids, async (conversation_id): Promise<BulkChangeResult> => {
      try {
        if (!(await reach.conversation(caller.account.id, viewer, conversation_id)))
          return { conversation_id, ...CONVERSATION_NOT_FOUND };
        await change(caller, conversation_id, input);
        return { conversation_id, code: 200, status: "OK" };
      } catch (error) {
        if (isRefusal(error)) {
          const { code, status } = error.problem;
          return { conversation_id, code, status, message: error.message };
        }
        // The others may have been changed: the reply says which.
        log(`change of ${conversation_id}: ${failureText(error)}`, { level: "error", part: "inbox" });
        const { code, status, message } = INTERNAL_SERVER_ERROR;
        return { conversation_id, code, status, message };
      }
    });
