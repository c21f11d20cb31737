import { Conversation } from "@parley/contract";
import type { Directory } from "../accounts/directory.ts";
import { serializerOf } from "../http/serializer.ts";
import type { Account } from "../http/slice.ts";
import { parseProperties } from "./properties.ts";
import type { Written } from "./batch.ts";
import type { ConversationRow } from "./store.ts";

/** Whether conversations of the account have properties. @spec Resources and their fields > Conversation object */
export const hasProperties = ({ configuration }: Account): boolean => configuration.bundle_id !== 0;

/** The organization's ids of those to whom a conversation is assigned. */
interface Assignees {
  readonly agent: string | undefined;
  readonly group: string | undefined;
}

const assigneesOf = async (
  directory: Directory,
  account: Account,
  row: Pick<ConversationRow, "assigned_agent_id" | "assigned_group_id">,
): Promise<Assignees> => {
  const agent = row.assigned_agent_id ? await directory.agent(account.id, row.assigned_agent_id) : undefined;
  const group = row.assigned_group_id ? await directory.group(account.id, row.assigned_group_id) : undefined;
  return { agent: agent?.org_contact_id, group: group?.org_id };
};

const shown = (account: Account, row: ConversationRow, { agent, group }: Assignees): Conversation => ({
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
  url: `https://${account.configuration.account_domain}/conversations/${row.id}`,
  created_time: row.created_time.toISOString(),
  updated_time: row.updated_time.toISOString(),
});

/** A row as callers see it. */
export const conversationOf = async (
  directory: Directory,
  account: Account,
  row: ConversationRow,
): Promise<Conversation> => shown(account, row, await assigneesOf(directory, account, row));

const conversationText = serializerOf(Conversation);

/** Makes ready what is answered when a conversation begins, before it is written. */
export const beginningText = async (
  directory: Directory,
  account: Account,
  state: Pick<ConversationRow, "assigned_agent_id" | "assigned_group_id">,
): Promise<(written: Written) => string> => {
  const assignees = await assigneesOf(directory, account, state);
  return ({ conversation, texts }) =>
    `${conversationText(shown(account, conversation, assignees)).slice(0, -1)},"messages":[${texts.join(",")}]}`;
};
