import type { Csat } from "@parley/contract";
import { statement, type Db } from "@parley/database";
import type { ConversationRow } from "../../messaging/conversations/store.ts";
import { groupsOf, isReached, type ReachingAgent } from "../../messaging/conversations/reach.sql.ts";
import { withoutNulls } from "../../base/db/page.ts";
import { listCustomers, type CustomerQuery } from "./list.sql.ts";

/** A rating in the form of the API. `app_id` is the account, as in the response to its creation. */
const RATING = `id as csat_response_id, (extract(epoch from created_time) * 1000)::bigint as created, interaction_id, conversation_id,
                agent_internal_id as csat_attributer_id, account_id as app_id, issue_resolved, rating, additional_feedback,
                reopened as reopen_conversation`;

const FIND_USER = statement(
  "find_customer",
  `select body from users where account_id = $1 and id = $2 and deleted_time is null`,
);
const RATINGS = statement(
  "customer_ratings",
  `select ${RATING}
     from csat
    where account_id = $1
      and conversation_id in (
            select c.id from conversations c where c.user_id = $2 and c.account_id = $1 and ($3::boolean or ${isReached("$4", "$5")}))
    order by created_time desc, id desc`,
);
const CONVERSATIONS = statement(
  "customer_conversations",
  `select id, account_id, number, user_id, channel_id, created_time, updated_time, revision, status,
          assigned_agent_id, assigned_group_id, interaction_id, properties, restricted
     from conversations
    where user_id = $2 and account_id = $1 and (created_time, number) > ($3, $4)
    order by created_time, number
    limit $5`,
);
const MESSAGES = statement(
  "customer_messages",
  `select seq, body from messages where conversation_id = $1 and seq > $2 order by seq limit $3`,
);
const RATINGS_OF_CONVERSATION = statement(
  "conversation_ratings",
  `select ${RATING} from csat where conversation_id = $1 and account_id = $2 order by created_time, id`,
);

/** Rows of a read of an export. */
const PAGE = { conversations: 100, messages: 500 } as const;

async function* pages<T>(read: (last: T | undefined) => Promise<T[]>, size: number): AsyncGenerator<readonly T[]> {
  for (let last: T | undefined; ;) {
    const rows = await read(last);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    last = rows.at(-1);
  }
}

/**
 * Reads of customers.
 * @shape db: finds rows by key; heavy: for lists that are counted and sorted for each request
 */
export const customerStore = ({ db, heavy }: { readonly db: Db; readonly heavy: Db }) => ({
  list: (accountId: number, agent: ReachingAgent, query: CustomerQuery) =>
    listCustomers(heavy, accountId, agent, query),
  /** -> JSON text; undefined for an unknown or deleted user */
  user: async (accountId: number, id: string): Promise<string | undefined> =>
    (await db.one<{ body: string }>(FIND_USER, [accountId, id]))?.body,
  /** Ratings of the conversations that the agent reaches, the newest first. */
  ratings: async (accountId: number, agent: ReachingAgent, userId: string): Promise<Csat[]> => {
    const values = [accountId, userId, agent.scope === "Global", agent.id, groupsOf(agent)];
    return (await db.rows<Csat>(RATINGS, values)).map(withoutNulls);
  },
  /** All conversations of a user, the oldest first. */
  conversations: (accountId: number, userId: string) =>
    pages<ConversationRow>(
      (last) =>
        db.rows(CONVERSATIONS, [
          ...[accountId, userId, last?.created_time ?? "-infinity", last?.number ?? 0],
          PAGE.conversations,
        ]),
      PAGE.conversations,
    ),
  /** All messages of a conversation, the oldest first. @shape body: JSON text */
  messages: (conversationId: string) =>
    pages<{ readonly seq: number; readonly body: string }>(
      (last) => db.rows(MESSAGES, [conversationId, last?.seq ?? 0, PAGE.messages]),
      PAGE.messages,
    ),
  ratingsOfConversation: async (accountId: number, conversationId: string): Promise<Csat[]> =>
    (await db.rows<Csat>(RATINGS_OF_CONVERSATION, [conversationId, accountId])).map(withoutNulls),
});
export type CustomerStore = ReturnType<typeof customerStore>;
