import type { Conversation } from "@parley/contract";
import type { Directory } from "../accounts/directory.ts";
import type { Account } from "../http/slice.ts";
import { parseProperties } from "./properties.ts";
import type { ConversationRow } from "./store.ts";

/** Whether conversations of the account have properties. @spec Resources and their fields > Conversation object */
export const hasProperties = ({ configuration }: Account): boolean => configuration.bundle_id !== 0;

/** A row as callers see it. */
export const conversationOf = async (
  directory: Directory,
  account: Account,
  row: ConversationRow,
): Promise<Conversation> => {
  const agent = row.assigned_agent_id ? await directory.agent(account.id, row.assigned_agent_id) : undefined;
  const group = row.assigned_group_id ? await directory.group(account.id, row.assigned_group_id) : undefined;
  return {
    conversation_id: row.id,
    conversation_internal_id: row.number,
    channel_id: row.channel_id,
    assigned_agent_id: row.assigned_agent_id ?? undefined,
    assigned_org_agent_id: agent?.org_contact_id,
    assigned_group_id: row.assigned_group_id ?? undefined,
    assigned_org_group_id: group?.org_id,
    app_id: account.configuration.app_id,
    status: row.status,
    properties: hasProperties(account) ? parseProperties(row.properties) : undefined,
    user_id: row.user_id,
    url: `https://${account.configuration.account_domain}/conversations/${row.id}`,
    created_time: row.created_time.toISOString(),
    updated_time: row.updated_time.toISOString(),
  };
};
