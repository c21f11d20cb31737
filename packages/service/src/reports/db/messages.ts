import { statement } from "@parley/database";

/** A message with the conversation that it is in and the user whom that is with; of a deleted user nothing is left. */
export interface MessageRow {
  /** JSON text of the message. */
  readonly body: string;
  readonly user_id: string;
  readonly email: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
}

export const MESSAGES = statement(
  "",
  `select m.body, c.user_id, u.email, u.first_name, u.last_name
     from messages m
     join conversations c on c.id = m.conversation_id
     join users u on u.id = c.user_id
    where c.account_id = $1 and m.created_time >= $2 and m.created_time < $3
    order by m.created_time, m.conversation_id, m.seq`,
);
