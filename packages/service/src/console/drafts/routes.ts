import {
  CONVERSATION_NOT_FOUND,
  DRAFT_CHANGED,
  drafts,
  INVALID_MESSAGE_PARTS,
  refuse,
  type Draft,
  type MessagePart,
  type MessagePartKey,
} from "@parley/contract";
import type { NotifyOwnChange } from "../../http/own-change.ts";
import { sessionAgent } from "../../http/session-agent.ts";
import type { FindConversationId } from "../../messaging/conversations/find.ts";
import type { AgentReach } from "../../messaging/conversations/reach.sql.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import { checkMessageParts } from "../../messaging/conversations/message-parts.ts";
import type { DraftStore } from "./store.ts";

interface DraftDeps {
  readonly store: DraftStore;
  readonly findId: FindConversationId;
  readonly reach: Pick<AgentReach, "conversations">;
  readonly ports: Pick<Ports, "now">;
  readonly notifyOwnChange: NotifyOwnChange;
}

const ATTACHMENTS: readonly MessagePartKey[] = ["image", "video", "file"];

/** @errors INVALID_MESSAGE_PARTS for parts that are not attachments, or that a message can't contain */
const checkAttachments = (parts: readonly MessagePart[]): void => {
  for (const [index, part] of parts.entries()) {
    const [key = ""] = Object.keys(part);
    if (!ATTACHMENTS.some((each) => each === key))
      refuse(INVALID_MESSAGE_PARTS, `parts[${index}] may not be ${key}: it may be ${ATTACHMENTS.join(", ")}.`);
  }
  if (parts.length > 0) checkMessageParts({ actor_type: "agent", message_parts: [...parts] });
};

const isEmpty = ({ text, parts }: Pick<Draft, "text" | "parts">): boolean => text === "" && parts.length === 0;

export const draftRoutes = ({ store, findId, reach, ports, notifyOwnChange }: DraftDeps) => {
  /** The conversation is within the scope already; the scope Global contains also ids that don't exist. */
  const idOf = async (accountId: number, text: string): Promise<string> =>
    (await findId(accountId, text)) ?? refuse(CONVERSATION_NOT_FOUND);
  const notify = (accountId: number, agentId: string, conversation_id: string): void =>
    notifyOwnChange(accountId, agentId, { kind: "draft", conversation_id });
  const checkExists = async (accountId: number, conversationId: string): Promise<void> => {
    if (!(await store.hasConversation(accountId, conversationId))) refuse(CONVERSATION_NOT_FOUND);
  };

  return defineRoutes(drafts, {
    async listDrafts({ caller }) {
      const agent = sessionAgent(caller);
      const all = await store.list(caller.account.id, agent.id);
      const ids = all.map(({ conversation_id }) => conversation_id);
      const reached = new Set(await reach.conversations(caller.account.id, agent, ids));
      return { drafts: all.filter(({ conversation_id }) => reached.has(conversation_id)) };
    },

    async saveDraft({ caller: { account, ...caller }, params, body: { based_on, ...content } }) {
      const agent = sessionAgent(caller);
      checkAttachments(content.parts);
      const conversation_id = await idOf(account.id, params.conversation_id);
      const draft: Draft = { ...content, conversation_id, updated_time: ports.now().toISOString() };
      if (isEmpty(draft)) {
        if (await store.remove(account.id, agent.id, draft, based_on)) notify(account.id, agent.id, conversation_id);
        else if (based_on !== undefined && (await store.hasDraft(account.id, agent.id, draft))) refuse(DRAFT_CHANGED);
        else await checkExists(account.id, conversation_id);
        return draft;
      }
      const updated_time = await store.save(account.id, agent.id, draft, based_on);
      if (updated_time !== undefined) {
        notify(account.id, agent.id, conversation_id);
        return { ...draft, updated_time };
      }
      if (based_on !== undefined && (await store.hasDraft(account.id, agent.id, draft))) refuse(DRAFT_CHANGED);
      return refuse(CONVERSATION_NOT_FOUND, "There is no such conversation, or its customer was deleted.");
    },

    async deleteDraft({ caller: { account, ...caller }, params }) {
      const agent = sessionAgent(caller);
      const conversation_id = await idOf(account.id, params.conversation_id);
      if (await store.removeBoth(account.id, agent.id, conversation_id)) notify(account.id, agent.id, conversation_id);
      else await checkExists(account.id, conversation_id);
      return { code: 200, status: "OK", message: "There is no draft in the conversation." };
    },
  });
};
