import { statement, type Db } from "@parley/database";

/** A part of a conversation's messages beside one of them, or at its end. */
export interface ThreadQuery {
  readonly accountId: number;
  readonly conversationId: string;
  /** The message beside which the part is; absent: the end of the conversation. */
  readonly anchor: string | undefined;
  /** Messages before the anchor. */
  readonly older: number;
  /** Messages after the anchor. */
  readonly newer: number;
}

/** Messages on one side of the anchor, the oldest first. */
interface ThreadSide {
  /** JSON texts, separated by commas. */
  readonly texts: string;
  /** Whether there are others beyond them. */
  readonly hasMore: boolean;
}

interface Thread {
  /** JSON text of the anchor; null without an anchor. */
  readonly anchor: string | null;
  readonly older: ThreadSide;
  readonly newer: ThreadSide;
}

interface ThreadRow {
  readonly has_anchor: boolean;
  readonly anchor: string | null;
  readonly older: string | null;
  readonly newer: string | null;
  readonly has_older: boolean;
  readonly has_newer: boolean;
}

/** Reads one message more than asked for, to find out whether there are more messages. */
const side = (condition: string, order: "asc" | "desc", size: string): string => `
  select string_agg(body, ',' order by seq) filter (where place <= ${size}) as texts, count(*) > ${size} as has_more
    from (
      select body, seq, row_number() over (order by seq ${order}) as place
        from (
          select body, seq
            from messages
           where conversation_id = c.id and ${condition}
           order by seq ${order}
           limit ${size} + 1
        ) nearest
    ) numbered`;

// Lateral lookups by key: they cost the same anywhere in a conversation of any length.
const THREAD = statement(
  "thread",
  `select anchor.seq is not null as has_anchor, anchor.body as anchor,
          older.texts as older, older.has_more as has_older, newer.texts as newer, newer.has_more as has_newer
     from (select id from conversations where id = $1 and account_id = $2 limit 1) c
     left join lateral (
       select seq, body from messages where id = $3::uuid and conversation_id = c.id limit 1
     ) anchor on true
     left join lateral (${side("seq < coalesce(anchor.seq, 9223372036854775807)", "desc", "$4::integer")}) older on true
     left join lateral (${side("seq > anchor.seq", "asc", "$5::integer")}) newer on true`,
);

/** Reads of the table `messages` for a thread. */
export const threadStore = (db: Db) => ({
  /** -> "conversation" or "message": the object that the account doesn't have */
  read: async (query: ThreadQuery): Promise<Thread | "conversation" | "message"> => {
    const { accountId, conversationId, anchor, older, newer } = query;
    const row = await db.one<ThreadRow>(THREAD, [conversationId, accountId, anchor, older, newer]);
    if (!row) return "conversation";
    if (anchor !== undefined && !row.has_anchor) return "message";
    return {
      anchor: row.anchor,
      older: { texts: row.older ?? "", hasMore: row.has_older },
      newer: { texts: row.newer ?? "", hasMore: row.has_newer },
    };
  },
});
export type ThreadStore = ReturnType<typeof threadStore>;
