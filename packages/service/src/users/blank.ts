import type { Message, User } from "@parley/contract";

/** What stays of a deleted user: no more than the events and conversations that name it need. @shape JSON text, both ways */
export const blankUser = (body: string): string => {
  const { id, created_time, updated_time } = JSON.parse(body) as User;
  return JSON.stringify({ id, created_time, updated_time, login_status: false } satisfies User);
};

/**
 * What stays of a message that a deleted user wrote: who, when and where, but nothing of what was said.
 * @shape JSON text, both ways; undefined for a message that somebody else wrote
 * @assumed One text part with no content takes the place of all parts; meta_data goes too.
 */
export const blankMessage = (body: string): string | undefined => {
  const { reply_parts: _said, meta_data: _about, ...message } = JSON.parse(body) as Message;
  if (message.actor_type !== "user") return undefined;
  return JSON.stringify({ ...message, message_parts: [{ text: { content: "" } }] } satisfies Message);
};
