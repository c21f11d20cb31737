import type { Changes } from "@parley/contract";
import { arrayLiteral, statement, type Db } from "@parley/database";
import type { LogSpan } from "../../base/log/follower.ts";

const EVENTS = statement(
  "search_events",
  `select kind, account_id, entity_id, message_id, user_id, changes
     from outbox
    where seq > $1 and seq <= $2
      and kind in ('message_create', 'conversation_create', 'conversation_update', 'user_create', 'user_update')`,
);
const PERIODS = statement(
  "search_periods",
  `select c.id, c.user_id, c.account_id, c.assigned_agent_id, c.assigned_group_id, c.created_time,
          least(c.created_time, (select created_time from messages where conversation_id = c.id order by seq limit 1)) as from_time,
          greatest(c.updated_time, (select created_time from messages where conversation_id = c.id order by seq desc limit 1)) as to_time
     from unnest($1::uuid[]) as asked (id)
    cross join lateral (select * from conversations where id = asked.id limit 1) c`,
);

/** An event of the log, as far as the index needs it. */
interface SearchEvent {
  readonly kind: "message_create" | "conversation_create" | "conversation_update" | "user_create" | "user_update";
  readonly account_id: number;
  readonly entity_id: string;
  readonly message_id: string | null;
  readonly user_id: string;
  /** JSON text of the contract's `Changes`. */
  readonly changes: string | null;
}

/** A conversation with its assignment and the period of its messages. */
interface ConversationPeriod {
  readonly id: string;
  readonly user_id: string;
  readonly account_id: number;
  readonly assigned_agent_id: string | null;
  readonly assigned_group_id: string | null;
  readonly created_time: Date;
  readonly from_time: Date;
  readonly to_time: Date;
}

/** Whether an event changed who reaches its conversation. */
export const isReassignment = ({ kind, changes }: SearchEvent): boolean => {
  if (kind !== "conversation_update" || changes === null) return false;
  const { model_changes } = JSON.parse(changes) as Changes;
  return model_changes["assigned_agent_id"] !== undefined || model_changes["assigned_group_id"] !== undefined;
};

/** Reads of the log for the index. */
export const searchSpanStore = (db: Db) => ({
  events: ({ from, to }: LogSpan) => db.rows<SearchEvent>(EVENTS, [from, to]),
  periods: (ids: readonly string[]) => db.rows<ConversationPeriod>(PERIODS, [arrayLiteral(ids)]),
});
