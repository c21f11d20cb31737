import type { User } from "@parley/contract";
import type { LiveItem } from "../live/live-messages.ts";

interface CustomerChanges {
  /** Changed users by id, as of their newest event. */
  readonly users: ReadonlyMap<string, User>;
  /** Ids of customers whose conversations have changed: began, were assigned, resolved, or have a message. */
  readonly withConversations: ReadonlySet<string>;
  /** Whether there are new customers, or known customers whom the agent's scope may contain now. */
  readonly hasNewCustomers: boolean;
}

/** -> what items of the stream say about customers */
export const changesOf = (items: readonly LiveItem[]): CustomerChanges => {
  const users = new Map<string, User>();
  const withConversations = new Set<string>();
  let hasNewCustomers = false;
  for (const item of items) {
    switch (item.event) {
      case "user_create":
      case "user_update": {
        const { user } = item.data.data;
        if (user?.id) users.set(user.id, user);
        if (item.event === "user_create") hasNewCustomers = true;
        break;
      }
      case "conversation_create":
      case "conversation_update":
      case "message_create": {
        const { user } = item.data.data.associations;
        // The user of an event can be deleted meanwhile: nothing is known of it then.
        if (user?.id) withConversations.add(user.id);
        // Also of a customer who was known already: a narrow scope contains customers by their conversations.
        if (item.event !== "message_create") hasNewCustomers = true;
        break;
      }
      default:
        break;
    }
  }
  return { users, withConversations, hasNewCustomers };
};
