import {
  CONVERSATION_NOT_FOUND,
  inbox,
  INBOX_PAGE_SIZE,
  reachesAssignment,
  refuse,
  SERVICE_UNAVAILABLE,
} from "@parley/contract";
import type { FindConversation } from "../../messaging/conversations/find.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import { sessionAgent } from "../../http/session-agent.ts";
import type { Projector } from "../../base/log/projector.ts";
import type { createChangeSeveral } from "./change-several.ts";
import { inboxCursorOf, listPositionOf, parseCursor, positionOf } from "./cursor.ts";
import { toInboxItem } from "./item.ts";
import type { InboxPageStore } from "./page.sql.ts";
import { type InboxViewer, viewOf } from "./view.ts";
import type { InboxCounts } from "@parley/contract";

/** Tells the other devices of an agent what the agent has changed for itself. */
export type ReportOwnChange = (
  accountId: number,
  agentId: string,
  change: { readonly kind: "read"; readonly conversation_id: string },
) => void;

interface InboxRoutesDeps {
  readonly pages: InboxPageStore;
  readonly counts: (accountId: number, viewer: InboxViewer) => Promise<InboxCounts>;
  readonly mark: (
    accountId: number,
    agentId: string,
    mark: { readonly conversationId: string; readonly unread: number },
  ) => Promise<number | undefined>;
  readonly changeSeveral: ReturnType<typeof createChangeSeveral>;
  readonly find: FindConversation;
  readonly projector: Pick<Projector, "caughtUp">;
  readonly ownChange: ReportOwnChange;
}

/** Time after which a conversation that is not entered yet is asked for again. @units seconds */
const RETRY_AFTER_S = 2;

/**
 * @assumed A read waits up to one second for changes that were committed before it; otherwise the reply says that it is behind. Conversations of
 * earlier releases are entered after the first start of a new release; lists and counts have those that are entered.
 */
export const inboxRoutes = ({ pages, counts, mark, changeSeveral, find, projector, ownChange }: InboxRoutesDeps) => {
  /** @errors SERVICE_UNAVAILABLE for a conversation that is not entered yet, CONVERSATION_NOT_FOUND */
  const existing = async (accountId: number, id: string): Promise<string> =>
    (await find(accountId, id))?.id ?? refuse(CONVERSATION_NOT_FOUND);
  /** Waits for earlier commits. -> the members of the reply about this wait */
  const readingState = async () => ((await projector.caughtUp()) ? {} : { is_behind: true });
  const refuseNotEntered = (): never =>
    refuse(SERVICE_UNAVAILABLE, "The conversation is not in the inbox yet.", RETRY_AFTER_S);

  return defineRoutes(inbox, {
    async listInbox({ query, caller }) {
      const agent = sessionAgent(caller);
      const { order = "newest_activity", cursor, limit = INBOX_PAGE_SIZE.default, ids, ...filter } = query;
      const after = cursor === undefined ? undefined : parseCursor(order, cursor);
      const state = await readingState();
      const asked = { accountId: caller.account.id, agentId: agent.id, view: viewOf(filter, agent) };
      const only = ids === undefined ? undefined : { ...asked.view, ids: ids.split(",").filter(isUuid) };
      const [rows, total] = await Promise.all([
        pages.page({ ...asked, ...(only && { view: only }), order, after, limit: limit + 1 }),
        after ? undefined : pages.total(asked),
      ]);
      const last = rows.length > limit ? rows[limit - 1] : undefined;
      return {
        // An assignment may have changed since it was projected.
        conversations: rows
          .slice(0, limit)
          .filter((row) => reachesAssignment(agent, { agentId: row.assigned_agent_id, groupId: row.assigned_group_id }))
          .map((row) => ({ ...toInboxItem(row), position: listPositionOf(order, row) })),
        next: last && inboxCursorOf(order, positionOf(order, last)),
        total,
        ...state,
      };
    },
    async getInboxItem({ params, caller }) {
      const id = await existing(caller.account.id, params.conversation_id);
      const state = await readingState();
      const row = await pages.item({ accountId: caller.account.id, agentId: sessionAgent(caller).id }, id);
      return row ? { ...toInboxItem(row), ...state } : refuseNotEntered();
    },
    async countInbox({ caller }) {
      const state = await readingState();
      return { ...(await counts(caller.account.id, sessionAgent(caller))), ...state };
    },
    async changeConversations({ body, caller }) {
      return { results: await changeSeveral(caller, sessionAgent(caller), body.conversation_ids, body.change) };
    },
    /**
     * @assumed Read: all messages of the customer so far. Unread: all but the last message.
     */
    async markConversation({ params, body, caller }) {
      const { account } = caller;
      const agent = sessionAgent(caller);
      const conversation_id = await existing(account.id, params.conversation_id);
      await projector.caughtUp();
      const unread = await mark(account.id, agent.id, {
        conversationId: conversation_id,
        unread: body.is_read ? 0 : 1,
      });
      if (unread === undefined) return refuseNotEntered();
      ownChange(account.id, agent.id, { kind: "read", conversation_id });
      return { unread: Math.max(unread, 0) };
    },
  });
};
