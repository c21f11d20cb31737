import { Conversation } from "@parley/contract";
import type { Directory } from "../directory/directory.ts";
import { serializerOf } from "../../http/serializer.ts";
import type { CallerAccount } from "../../http/route-handlers.ts";
import { parseProperties } from "./properties.ts";
import type { WrittenConversation } from "./conversation-writer.ts";
import type { ConversationRow } from "./store.ts";

/**
 * Id of an interaction: the time from a conversation's start or reopening to its resolution.
 * @shape `<number of the conversation>-<epoch ms>`
 * @spec Resources and their fields > Message object
 */
export const interactionIdFrom = (number: number, time: Date, before?: string): string => {
  // Keeps ids distinct for two interactions that start in the same millisecond.
  const least = before === undefined ? 0 : Number(before.slice(before.indexOf("-") + 1)) + 1;
  return `${number}-${Math.max(time.getTime(), least)}`;
};

/** Whether conversations of the account have properties. @spec Resources and their fields > Conversation object */
export const hasProperties = ({ configuration }: CallerAccount): boolean => configuration.bundle_id !== 0;

/** Organization-level ids of the assigned agent and group. */
interface Assignees {
  readonly agent: string | undefined;
  readonly group: string | undefined;
}

const assigneesOf = async (
  directory: Directory,
  account: CallerAccount,
  row: Pick<ConversationRow, "assigned_agent_id" | "assigned_group_id">,
): Promise<Assignees> => {
  const agent = row.assigned_agent_id ? await directory.agent(account.id, row.assigned_agent_id) : undefined;
  const group = row.assigned_group_id ? await directory.group(account.id, row.assigned_group_id) : undefined;
  return { agent: agent?.org_contact_id, group: group?.org_id };
};

const shown = (
  directory: Directory,
  account: CallerAccount,
  row: ConversationRow,
  { agent, group }: Assignees,
): Conversation => ({
  conversation_id: row.id,
  conversation_internal_id: row.number,
  freshchat_conversation_id: String(row.number),
  channel_id: row.channel_id,
  assigned_agent_id: row.assigned_agent_id ?? undefined,
  assigned_org_agent_id: agent,
  assigned_group_id: row.assigned_group_id ?? undefined,
  assigned_org_group_id: group,
  app_id: account.configuration.app_id,
  status: row.status,
  skill_id: 0,
  properties: hasProperties(account) ? parseProperties(row.properties) : undefined,
  user_id: row.user_id,
  url: directory.conversationUrl(account.configuration.account_domain, row.id),
  created_time: row.created_time.toISOString(),
  updated_time: row.updated_time.toISOString(),
});

/** Converts a row to the API's representation. */
export const toApiConversation = async (
  directory: Directory,
  account: CallerAccount,
  row: ConversationRow,
): Promise<Conversation> => shown(directory, account, row, await assigneesOf(directory, account, row));

const conversationText = serializerOf(Conversation);

/**
 * Resolves the assignees before the write, so that the reply to a creation can be serialized synchronously afterwards.
 */
export const conversationJson = async (
  directory: Directory,
  account: CallerAccount,
  state: Pick<ConversationRow, "assigned_agent_id" | "assigned_group_id">,
): Promise<(written: WrittenConversation) => string> => {
  const assignees = await assigneesOf(directory, account, state);
  return ({ conversation, texts }) =>
    `${conversationText(shown(directory, account, conversation, assignees)).slice(0, -1)},"messages":[${texts.join(",")}]}`;
};
