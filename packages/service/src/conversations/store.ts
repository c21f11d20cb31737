import { type Db, statement } from "@parley/database";
import { plainArray } from "../db/arrays.ts";
import type { State } from "./transitions.ts";

/** A conversation as its row holds it. */
export interface ConversationRow extends State {
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

/** A conversation with what the rules for a message ask besides. */
export interface FoundConversation extends ConversationRow {
  /** No conversation of the user was begun after it. */
  readonly latest: boolean;
  readonly user_deleted: boolean;
  /** Interaction of the message asked for; null where it is none of this conversation. */
  readonly reply_interaction_id: string | null;
}

/** What is asked of the table: a conversation, and perhaps one of its messages. */
export interface ConversationQuery {
  readonly id: string;
  readonly replyTo?: string | undefined;
}

// Each row is looked up by its key, whatever the planner believes of tables that were empty a moment ago.
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

// By the partial index of open conversations by their agent.
const ASSIGNED_TO = statement(
  "conversations_assigned_to",
  `select id, account_id, number, user_id, channel_id, created_time, updated_time, revision, status,
          assigned_agent_id, assigned_group_id, interaction_id, properties, restricted
     from conversations
    where assigned_agent_id = $2 and status = 'assigned' and account_id = $1
    limit $3`,
);

/** How many numbers a process takes at a time: the increment of the sequence. */
export const NUMBERS = 64;

const NEXT_NUMBERS = statement("next_conversation_numbers", `select nextval('conversation_numbers') as first`);

const ID_OF_NUMBER = statement(
  "conversation_id_of_number",
  `select id from conversations where number = $2 and account_id = $1`,
);

/** Reads of the table `conversations`. */
export const conversationStore = (db: Db) => ({
  idOfNumber: async (accountId: number, number: number): Promise<string | undefined> =>
    (await db.one<{ id: string }>(ID_OF_NUMBER, [accountId, number]))?.id,
  /** -> in place: null members for an unknown id, so that `id` tells. */
  find: (queries: readonly ConversationQuery[]) =>
    db.rows<FoundConversation | { readonly id: null }>(FIND_CONVERSATIONS, [
      plainArray(queries.map(({ id }) => id)),
      plainArray(queries.map(({ replyTo }) => replyTo ?? null)),
    ]),
  /** Some of an agent's open conversations. */
  assignedTo: (accountId: number, agentId: string, limit: number) =>
    db.rows<ConversationRow>(ASSIGNED_TO, [accountId, agentId, limit]),
});
export type ConversationStore = ReturnType<typeof conversationStore>;

/** How many numbers of conversations a database draws itself: more than it will ever have. */
export const NUMBERS_RANGE = 1_000_000_000;
/** Ranges that a new database chooses from; their numbers have thirteen digits at most. */
const RANGES = 9_000;

const CHOOSE_RANGE = statement(
  "",
  `select setval('conversation_numbers', $1::bigint * ${NUMBERS_RANGE} + 1, false)
     from conversation_numbers
    where not is_called and last_value = 1`,
);

/** The sequence `conversation_numbers`. */
export const numberStore = (db: Db) => ({
  /**
   * Has a new database draw its numbers from a range of its own, so that conversations that are taken in from another one keep theirs. One
   * that has drawn numbers stays where it is: those of early releases draw from the first range.
   */
  chooseRange: async (random: (count: number) => Buffer): Promise<void> => {
    await db.rows(CHOOSE_RANGE, [1 + (random(4).readUInt32BE() % (RANGES - 1))]);
  },
  /** -> the first of `NUMBERS` numbers that nobody else gets. */
  take: async () => Number((await db.one<{ first: number }>(NEXT_NUMBERS, []))?.first),
});
