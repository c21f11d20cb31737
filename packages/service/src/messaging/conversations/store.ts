import { type Db, statement, arrayLiteral } from "@parley/database";
import type { ConversationState } from "./transitions.ts";

/** A row of the table `conversations`. */
export interface ConversationRow extends ConversationState {
  readonly id: string;
  readonly account_id: number;
  readonly number: number;
  readonly user_id: string;
  readonly channel_id: string;
  readonly created_time: Date;
  readonly updated_time: Date;
  readonly revision: number;
  readonly interaction_id: string;
  /** JSON text of an object. */
  readonly properties: string;
}

/** A conversation with the additional facts that the rules for messages need. */
export interface LoadedConversation extends ConversationRow {
  /** The user has no later conversation. */
  readonly latest: boolean;
  readonly user_deleted: boolean;
  /** Interaction of the message replied to; null if it does not belong to this conversation. */
  readonly reply_interaction_id: string | null;
}

/** A conversation and optionally one of its messages. */
export interface ConversationQuery {
  readonly id: string;
  readonly replyTo?: string | undefined;
}

// Lateral lookups by key: keep the planner from scanning, even if its statistics are from empty tables.
const FIND_CONVERSATIONS = statement(
  "find_conversations",
  `select c.id, c.account_id, c.number, c.user_id, c.channel_id, c.created_time, c.updated_time, c.revision, c.status,
          c.assigned_agent_id, c.assigned_group_id, c.interaction_id, c.properties, c.restricted,
          (select u.deleted_time is not null from users u where u.id = c.user_id) as user_deleted,
          (
            select case when r.conversation_id = c.id then r.interaction_id end from messages r where r.id = q.reply_to
          ) as reply_interaction_id,
          not exists (
            select from conversations later
            where later.user_id = c.user_id and (later.created_time, later.number) > (c.created_time, c.number)
          ) as latest
   from unnest($1::uuid[], $2::uuid[]) with ordinality as q (id, reply_to, place)
   left join lateral (select * from conversations where id = q.id limit 1) c on true
   order by q.place`,
);

// Uses the partial index of open conversations by agent.
const ASSIGNED_TO = statement(
  "conversations_assigned_to",
  `select id, account_id, number, user_id, channel_id, created_time, updated_time, revision, status,
          assigned_agent_id, assigned_group_id, interaction_id, properties, restricted
     from conversations
    where assigned_agent_id = $2 and status = 'assigned' and account_id = $1
    limit $3`,
);

/** Numbers reserved per statement. Equals the increment of the sequence. */
export const NUMBER_BLOCK_SIZE = 64;

const NEXT_NUMBERS = statement("next_conversation_numbers", `select nextval('conversation_numbers') as first`);

const ID_OF_NUMBER = statement(
  "conversation_id_of_number",
  `select id from conversations where number = $2 and account_id = $1`,
);

/** Reads of the table `conversations`. */
export const conversationStore = (db: Db) => ({
  idOfNumber: async (accountId: number, number: number): Promise<string | undefined> =>
    (await db.one<{ id: string }>(ID_OF_NUMBER, [accountId, number]))?.id,
  /** -> one row per query, in order; an `id` of null for an unknown id. */
  find: (queries: readonly ConversationQuery[]) =>
    db.rows<LoadedConversation | { readonly id: null }>(FIND_CONVERSATIONS, [
      arrayLiteral(queries.map(({ id }) => id)),
      arrayLiteral(queries.map(({ replyTo }) => replyTo ?? null)),
    ]),
  /** Up to `limit` open conversations of an agent. */
  assignedTo: (accountId: number, agentId: string, limit: number) =>
    db.rows<ConversationRow>(ASSIGNED_TO, [accountId, agentId, limit]),
});
export type ConversationStore = ReturnType<typeof conversationStore>;

/** Size of the number range of one database: more than it will ever use. */
export const NUMBER_RANGE_SIZE = 1_000_000_000;
/** Number of ranges that a new database chooses from. Numbers have at most thirteen digits. */
const NUMBER_RANGES = 9_000;

const CHOOSE_RANGE = statement(
  "",
  `select setval('conversation_numbers', $1::bigint * ${NUMBER_RANGE_SIZE} + 1, false)
     from conversation_numbers
    where not is_called and last_value = 1`,
);

/** Statements on the sequence `conversation_numbers`. */
export const conversationNumberStore = (db: Db) => ({
  /**
   * Lets a new database draw its numbers from a random range, so that conversations imported from another database keep
   * theirs. A database that has already drawn numbers keeps its range; databases of early releases use the first range.
   */
  chooseRange: async (random: (count: number) => Buffer): Promise<void> => {
    await db.rows(CHOOSE_RANGE, [1 + (random(4).readUInt32BE() % (NUMBER_RANGES - 1))]);
  },
  /** -> the first of NUMBER_BLOCK_SIZE numbers reserved for this process. */
  take: async () => Number((await db.one<{ first: number }>(NEXT_NUMBERS, []))?.first),
});
