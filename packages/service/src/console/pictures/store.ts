import { statement, type Db } from "@parley/database";

const USER = statement(
  "user_of_picture",
  "select body from users where account_id = $1 and id = $2 and deleted_time is null",
);
const AGENT = statement("agent_of_picture", "select body from agents where account_id = $1 and id = $2");
// In all languages: each has a welcome message of its own.
const CHANNEL = statement(
  "channel_of_picture",
  "select json_agg(body::json)::text as body from channels where account_id = $1 and id = $2",
);
const MESSAGE = statement(
  "message_of_picture",
  `select m.body
     from messages m
     join conversations c on c.id = m.conversation_id
    where c.account_id = $1 and m.id = $2 and c.id = $3`,
);

/** Reads the objects that contain addresses of pictures. -> their JSON text; undefined for an unknown object. @shape id: uuid */
export const pictureStore = (db: Pick<Db, "one">) => {
  const bodyOf = async (...[row, values]: Parameters<Db["one"]>): Promise<string | undefined> =>
    (await db.one<{ readonly body: string | null }>(row, values))?.body ?? undefined;
  return {
    user: (accountId: number, id: string) => bodyOf(USER, [accountId, id]),
    agent: (accountId: number, id: string) => bodyOf(AGENT, [accountId, id]),
    channel: (accountId: number, id: string) => bodyOf(CHANNEL, [accountId, id]),
    message: (accountId: number, id: string, conversationId: string) =>
      bodyOf(MESSAGE, [accountId, id, conversationId]),
  };
};
export type PictureStore = ReturnType<typeof pictureStore>;
