import { statement, type Db } from "@parley/database";
import type { ConversationRow } from "../conversations/store.ts";
import type { AssigningLogic, RoutedAgent, RoutedGroup } from "./choice.ts";

/** SQL condition: the routing of the group `g` is on. */
const IS_ROUTED = `g.body::json ->> 'routing_type' = 'INTELLIASSIGN' and g.body::json ->> 'routing_logic' in ('LOAD', 'ROUND_ROBIN')`;

const GROUPS_WITH_WAITING = statement(
  "groups_with_waiting_conversations",
  `select g.account_id, a.name as account, g.id, g.body::json ->> 'routing_logic' as logic, g.signed_in_agents_only
     from accounts a
     join groups g on g.account_id = a.id
    where a.automatic_assignment and a.closed_time is null and ${IS_ROUTED}
      and exists (select from conversations c where c.assigned_group_id = g.id and c.status = 'new' and c.account_id = a.id)
    order by g.account_id`,
);

/** Class of the advisory locks of assignments; the second number is the account. */
const ROUTING_LOCK_CLASS = 0x7061_7206;
const LOCK = statement(
  "lock_routing",
  `select pg_try_advisory_xact_lock(${ROUTING_LOCK_CLASS}, $1::integer) as is_locked`,
);

const AGENTS = statement(
  "agents_for_routing",
  `select a.id, a.groups, coalesce((a.body::json ->> 'agent_capacity')::integer, 0) as capacity, coalesce(t.turn, 0) as turn,
          exists (select from agent_sessions s
                   where s.account_id = $1 and s.agent_id = a.id and s.expires_time > $3 and s.last_seen_time > $4) as is_signed_in,
          (select count(*)::integer
             from conversations c
            where c.assigned_agent_id = a.id and c.status = 'assigned' and c.account_id = $1) as load
     from agents a
     left join routing_turns t on t.account_id = a.account_id and t.agent_id = a.id
    where a.account_id = $1 and a.availability_status = 'AVAILABLE' and not a.is_deactivated
      and a.groups && $2::text[] and a.body::json ->> 'routing_type' = 'INTELLIASSIGN'`,
);

// Locks nothing: a conversation that is changed meanwhile has another revision when it is written.
const WAITING = statement(
  "waiting_conversations",
  `select c.*
     from unnest($2::uuid[], $3::integer[]) as place (group_id, count)
    cross join lateral (
      select id, account_id, number, user_id, channel_id, created_time, updated_time, revision, status,
             assigned_agent_id, assigned_group_id, interaction_id, properties, restricted
        from conversations
       where assigned_group_id = place.group_id and status = 'new' and account_id = $1
       order by created_time, number
       limit place.count
    ) c
    order by c.created_time, c.number`,
);

const RECORD = statement(
  "record_routing",
  `with last as (
     select coalesce(max(turn), 0) as turn from routing_turns where account_id = $1
   ), turn as (
     insert into routing_turns (account_id, agent_id, turn)
     select $1, n.agent_id, max(last.turn + n.place)
       from last, unnest($3::uuid[]) with ordinality as n (agent_id, place)
      group by n.agent_id
         on conflict (account_id, agent_id) do update set turn = excluded.turn
   )
   insert into routing_reasons (conversation_id, account_id, logic, load, capacity, assigned_time)
   select n.id, $1, n.logic, n.load, n.capacity, n.assigned_time
     from unnest($2::uuid[], $4::text[], $5::integer[], $6::integer[], $7::timestamptz[])
          as n (id, logic, load, capacity, assigned_time)
       on conflict (conversation_id) do nothing`,
);

/** SQL of why the routing assigned a conversation to its agent, as JSON; null if it did not. */
export const reasonOf = (conversation: string): string =>
  `(select json_build_object('logic', logic, 'load', load, 'capacity', capacity, 'time', assigned_time)
      from routing_reasons where routing_reasons.conversation_id = ${conversation} limit 1)`;

/** A group with conversations that wait for an agent. */
export interface WaitingGroup extends RoutedGroup {
  readonly account_id: number;
  readonly account: string;
}

/** Why a conversation was assigned. */
export interface RoutingReason {
  readonly conversation_id: string;
  readonly agent_id: string;
  readonly logic: AssigningLogic;
  readonly load: number;
  readonly capacity: number;
  readonly time: Date;
}

/** A session has ended that expires earlier than `now`, or whose last request is older than `idleSince`. */
interface SessionTimes {
  readonly now: Date;
  readonly idleSince: Date;
}

/** Statements of the automatic assignment. */
export const routingStore = (db: Db) => ({
  /** Groups of all accounts whose routing is on and in which a conversation waits. */
  waitingGroups: () => db.rows<WaitingGroup>(GROUPS_WITH_WAITING, []),
  /** Until the end of the transaction. -> false while another process assigns conversations of the account */
  lock: async (accountId: number): Promise<boolean> =>
    (await db.one<{ is_locked: boolean }>(LOCK, [accountId]))?.is_locked ?? false,
  /** The agents of these groups who take automatic assignments. */
  agents: (accountId: number, groups: readonly string[], { now, idleSince }: SessionTimes) =>
    db.rows<RoutedAgent>(AGENTS, [accountId, groups, now, idleSince]),
  /** The oldest conversations without an agent, at most `count` of each group. */
  waiting: (accountId: number, places: readonly { readonly group: string; readonly count: number }[]) =>
    db.rows<ConversationRow>(WAITING, [accountId, places.map(({ group }) => group), places.map(({ count }) => count)]),
  record: (accountId: number, reasons: readonly RoutingReason[]) =>
    db.rows(RECORD, [
      accountId,
      reasons.map(({ conversation_id }) => conversation_id),
      reasons.map(({ agent_id }) => agent_id),
      reasons.map(({ logic }) => logic),
      reasons.map(({ load }) => load),
      reasons.map(({ capacity }) => capacity),
      reasons.map(({ time }) => time),
    ]),
});
