import { refuse, USER_NOT_FOUND } from "@parley/contract";
import type { LoadedConversation } from "./store.ts";

/**
 * Refuses what a deleted user would do in its conversation: messages and ratings.
 * @errors USER_NOT_FOUND
 * @assumed The conversation of a deleted user stays for the business, which goes on with it: status, assignment, properties, and messages of
 * agents, bots and the system are accepted.
 */
export const checkUserNotDeleted = ({ user_deleted }: Pick<LoadedConversation, "user_deleted">): void => {
  if (user_deleted) refuse(USER_NOT_FOUND, "The user of this conversation was deleted.");
};
