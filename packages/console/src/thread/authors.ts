import type { InboxItem, Message, Workspace } from "@parley/contract";
import { createNames, customerName } from "../workspace/workspace.ts";
import { threadMessages as texts } from "./messages.ts";
import type { Author } from "./thread-context.ts";

/** -> who wrote a message of the conversation, as the thread shows it */
export const createAuthors = (workspace: Workspace, { customer }: Pick<InboxItem, "customer">) => {
  const names = createNames(workspace);
  return ({ actor_type, actor_id = "" }: Pick<Message, "actor_type" | "actor_id">): Author => {
    if (actor_type === "user")
      return {
        name: customerName(customer),
        avatarUrl: customer.avatar_url,
        avatarOf: { user_id: customer.id },
        side: "customer",
      };
    if (actor_type === "bot") return { name: texts.bot, side: "team" };
    if (actor_type === "system") return { name: texts.system, side: "team" };
    const avatarUrl = workspace.agents.find(({ id }) => id === actor_id)?.avatar_url;
    return { name: names.agent(actor_id), avatarUrl, avatarOf: { agent_id: actor_id }, side: "team" };
  };
};
