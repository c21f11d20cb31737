import { statement, type Db } from "@parley/database";

/** Documents of one kind. @shape kind: 1 messages, 2 users, 3 conversations, as in `search_recent` */
interface QueuedKind {
  readonly kind: 1 | 2 | 3;
  readonly rows: readonly { readonly id: string; readonly created_time: string | Date }[];
}

/**
 * SQL that queues documents which have to be indexed without an event.
 * @shape source: a `from` clause; columns: expressions of account_id, created_time and id
 */
export const queueForSearch = (
  kind: QueuedKind["kind"],
  columns: readonly [accountId: string, createdTime: string, id: string],
  source: string,
  isBulk = false,
): string =>
  `insert into search_queue (kind, is_bulk, account_id, created_time, id)
     select ${kind}, ${isBulk}, ${columns.join(", ")}
     ${source}
       on conflict (is_bulk, account_id, kind, created_time, id) do nothing`;

// The names of a user are words of the user's conversations.
const QUEUE_CONVERSATIONS = statement(
  "queue_conversations_of_users",
  queueForSearch(
    3,
    ["c.account_id", "c.created_time", "c.id"],
    `from unnest($1::uuid[]) as asked (id) join conversations c on c.user_id = asked.id`,
  ),
);

/** Queues the conversations of users whose names have changed. Sends its statement before it returns. */
export const queueConversationsOf = async (db: Db, userIds: readonly string[]): Promise<void> => {
  if (userIds.length > 0) await db.rows(QUEUE_CONVERSATIONS, [userIds]);
};

const QUEUE_CHANGED = statement(
  "queue_changed_conversations",
  queueForSearch(
    3,
    ["c.account_id", "c.created_time", "c.id"],
    `from unnest($2::uuid[]) as asked (id) join conversations c on c.id = asked.id and c.account_id = $1`,
  ),
);

/** Queues conversations whose assignment or properties may have changed without an event. Sends its statement before it returns. */
export const queueChanged = async (db: Db, accountId: number, ids: readonly string[]): Promise<void> => {
  if (ids.length > 0) await db.rows(QUEUE_CHANGED, [accountId, ids]);
};

const QUEUE_BULK = statement(
  "queue_for_search",
  `insert into search_queue (account_id, kind, is_bulk, created_time, id)
   select $1, $2, true, created_time, id from unnest($3::timestamptz[], $4::uuid[]) as document (created_time, id)
       on conflict (is_bulk, account_id, kind, created_time, id) do nothing`,
);

/** Queues imported and generated rows. Sends its statements before it returns. */
export const queueBulk = async (db: Db, accountId: number, kinds: readonly QueuedKind[]): Promise<void> => {
  await Promise.all(
    kinds.flatMap(({ kind, rows }) =>
      rows.length === 0
        ? []
        : [db.rows(QUEUE_BULK, [accountId, kind, rows.map((row) => row.created_time), rows.map(({ id }) => id)])],
    ),
  );
};
