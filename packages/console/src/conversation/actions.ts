import type { Conversation, ConversationChange, InboxItem, Properties, Workspace } from "@parley/contract";
import type { QueryClient } from "@tanstack/react-query";
import { client } from "../session/session.ts";
import { inOrder } from "../state/in-order.ts";
import { showError, showToast } from "../ui/toast-store.ts";
import { uiMessages } from "../ui/messages.ts";
import { createNames } from "../workspace/workspace.ts";
import { assignAgent, assignGroup, expectedState, reverseChange, type ChangeableState } from "./change.ts";
import { conversationQuery, patchConversation } from "./conversation-query.ts";
import { conversationMessages as texts } from "./messages.ts";

/** Members that are absent in the new state are removed. */
const withState = (item: InboxItem, state: ChangeableState): InboxItem => {
  const { assigned_agent_id: _agent, assigned_group_id: _group, ...others } = item;
  return { ...others, ...state };
};

const stateIn = (conversation: Conversation): ChangeableState => {
  const { status, assigned_agent_id, assigned_group_id, properties = {} } = conversation;
  return {
    status,
    properties,
    ...(assigned_agent_id ? { assigned_agent_id } : {}),
    ...(assigned_group_id ? { assigned_group_id } : {}),
  };
};

const isSameState = (one: ChangeableState, other: ChangeableState): boolean =>
  one.status === other.status &&
  one.assigned_agent_id === other.assigned_agent_id &&
  one.assigned_group_id === other.assigned_group_id &&
  JSON.stringify(one.properties) === JSON.stringify(other.properties);

/**
 * Changes a conversation. Cached data of the conversation shows the expected state at once; a refusal restores the previous state.
 * @errors those of updateConversation
 */
const changeConversation = async (queries: QueryClient, item: InboxItem, change: ConversationChange): Promise<void> => {
  const id = item.conversation_id;
  const before = queries.getQueryData(conversationQuery(id).queryKey) ?? item;
  const expected = expectedState(before, change);
  patchConversation(queries, id, (present) => withState(present, expected));
  try {
    // Changes of one conversation take effect in the order in which the agent made them.
    const { value, isLast } = await inOrder(`change ${id}`, () =>
      client.conversations.updateConversation({ params: { conversation_id: id }, body: change }),
    );
    if (isLast) patchConversation(queries, id, (present) => withState(present, stateIn(value)));
  } catch (error) {
    // Only if nothing else has changed it meanwhile.
    patchConversation(queries, id, (present) =>
      isSameState(present, expected) ? withState(present, before) : present,
    );
    throw error;
  }
};

/** Changes a conversation, says so in a toast that can take it back, and shows a refusal. -> whether it was changed */
const changeWithUndo = async (
  queries: QueryClient,
  item: InboxItem,
  change: ConversationChange,
  done: string,
): Promise<boolean> => {
  const reverse = reverseChange(item, expectedState(item, change));
  try {
    await changeConversation(queries, item, change);
  } catch (error) {
    showError(error);
    return false;
  }
  const undo = (): void => {
    const present = queries.getQueryData(conversationQuery(item.conversation_id).queryKey) ?? item;
    changeConversation(queries, present, reverse).catch(showError);
  };
  showToast(done, { action: { label: uiMessages.undo, run: undo } });
  return true;
};

/** Assigns an agent; undefined unassigns. */
export const assignToAgent = (
  queries: QueryClient,
  item: InboxItem,
  agentId: string | undefined,
  workspace: Workspace,
): Promise<boolean> => {
  const change = assignAgent(item, agentId, workspace.agents);
  const done = agentId === undefined ? texts.unassigned : texts.assigned(createNames(workspace).agent(agentId));
  return changeWithUndo(queries, item, change, done);
};

/** Assigns a group; undefined removes it. */
export const assignToGroup = (
  queries: QueryClient,
  item: InboxItem,
  groupId: string | undefined,
  workspace: Workspace,
): Promise<boolean> => {
  const change = assignGroup(item, groupId, workspace.agents);
  const done = groupId === undefined ? texts.groupRemoved : texts.groupAssigned(createNames(workspace).group(groupId));
  return changeWithUndo(queries, item, change, done);
};

export const changePriority = (queries: QueryClient, item: InboxItem, priority: string): Promise<boolean> =>
  changeWithUndo(queries, item, { properties: { priority } }, texts.prioritySet(priority));

/** Sets conversation properties; an empty text or list removes a value. */
export const changeProperties = (queries: QueryClient, item: InboxItem, properties: Properties): Promise<boolean> =>
  changeWithUndo(queries, item, { properties }, texts.propertiesSaved);

export const reopenConversation = (queries: QueryClient, item: InboxItem): Promise<boolean> =>
  changeWithUndo(queries, item, { status: "reopened" }, texts.reopened);

/** Resolves without asking for anything; see `requestResolve`. @errors PROPERTY_REQUIRED and others */
export const resolveConversation = async (
  queries: QueryClient,
  item: InboxItem,
  properties: Properties = {},
): Promise<void> => {
  const change: ConversationChange = {
    status: "resolved",
    ...(Object.keys(properties).length > 0 && { properties }),
  };
  const reverse = reverseChange(item, { ...expectedState(item, change), properties: item.properties });
  await changeConversation(queries, item, change);
  const undo = (): void => {
    const present = queries.getQueryData(conversationQuery(item.conversation_id).queryKey) ?? item;
    changeConversation(queries, present, reverse).catch(showError);
  };
  showToast(texts.resolvedToast, { action: { label: uiMessages.undo, run: undo } });
};

/** Marks a conversation as read or unread by the agent. */
export const markConversation = async (queries: QueryClient, id: string, isRead: boolean): Promise<void> => {
  const before = queries.getQueryData(conversationQuery(id).queryKey)?.unread;
  patchConversation(queries, id, (item) => ({ ...item, unread: isRead ? 0 : Math.max(1, item.unread) }));
  try {
    const { unread } = await client.inbox.markConversation({
      params: { conversation_id: id },
      body: { is_read: isRead },
    });
    patchConversation(queries, id, (item) => ({ ...item, unread }));
  } catch (error) {
    patchConversation(queries, id, (item) => (before === undefined ? item : { ...item, unread: before }));
    throw error;
  }
};
