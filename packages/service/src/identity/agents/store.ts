import { type Db, type Transaction, hasSqlState, SQLSTATE, statement, type Pool } from "@parley/database";
import { type Agent, Agent as AgentSchema, AGENT_SORT_FIELDS, type AgentSortField } from "@parley/contract";
import {
  readPage,
  sortedPages,
  sortKey,
  sortsByField,
  type SortOrder,
  withoutNulls,
  type Page,
} from "../../base/db/page.ts";
import type { DirectoryAgent } from "../../messaging/directory/directory.ts";

/** An agent to be written and its JSON text. */
interface WrittenAgent {
  readonly agent: Agent;
  readonly text: string;
}

// The conflict names no index: an address is unique both exactly and regardless of case.
const ADD = statement(
  "add_agent",
  `with added as (
     insert into agents (account_id, id, email, first_name, last_name, groups, availability_status, is_deactivated,
                         created_time, body)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict do nothing
     returning account_id, id, created_time, availability_status
   ), active as (
     insert into agent_activity (account_id, agent_id, created_time, to_status, availability_status)
     select account_id, id, created_time, $11::text, availability_status from added
   )
   select id from added`,
);
const LOCK = statement("lock_agent", `select body from agents where account_id = $1 and id = $2 for no key update`);
const CHANGE = statement(
  "change_agent",
  `with changed as (
     update agents
        set email = $3, first_name = $4, last_name = $5, groups = $6, availability_status = $7, is_deactivated = $8, body = $9
      where account_id = $1 and id = $2
     returning account_id, id, availability_status
   )
   insert into agent_activity (account_id, agent_id, created_time, from_status, to_status, availability_status)
   select account_id, id, $10::timestamptz, $11::text, $12::text, availability_status
     from changed
    where $11::text is distinct from $12::text`,
);
const REMOVE = statement(
  "remove_agent",
  `with removed as (
     delete from agents where account_id = $1 and id = $2 returning account_id, id, body
   ), logged as (
   insert into agent_activity (account_id, agent_id, created_time, from_status, availability_status)
   select account_id, id, $3::timestamptz, body::json #>> '{agent_status,name}', 'UNAVAILABLE'
     from removed
   )
   select body::json ->> 'role_id' as role_id, body::json ->> 'email' as email from removed`,
);

const columnsOf = (agent: Agent): readonly unknown[] => [
  agent.email,
  agent.first_name,
  agent.last_name,
  agent.groups,
  agent.availability_status,
  agent.is_deactivated,
];

const isTaken = (error: unknown): boolean => hasSqlState(error, SQLSTATE.UNIQUE_VIOLATION);

/**
 * Writes of the table `agents`. Columns, text and the `agent_activity` row of a status change are written in one
 * statement.
 */
const agentWrites = (pool: Pool) => ({
  /** `more` is executed in the same transaction. -> false if another agent has this address; nothing was written. */
  add: (
    accountId: number,
    { agent, text }: WrittenAgent,
    more?: (tx: Transaction) => Promise<void>,
  ): Promise<boolean> => {
    const values = [accountId, agent.id, ...columnsOf(agent), agent.created_time, text, agent.agent_status?.name];
    const add = async (db: Db) => (await db.one(ADD, values)) !== undefined;
    if (!more) return add(pool);
    return pool.transaction(async (tx) => {
      const isAdded = await add(tx);
      if (isAdded) await more(tx);
      return isAdded;
    });
  },

  /**
   * Computes the agent's next text with `rule` while the row is locked. `more` is executed in the same transaction.
   * -> the resulting text; undefined for an unknown id; "taken" if another agent has the address and nothing was
   * written.
   * @errors those of `rule`
   */
  change: async (
    accountId: number,
    id: string,
    now: Date,
    rule: (agent: Agent) => WrittenAgent,
    more: (tx: Transaction, before: Agent, after: Agent) => Promise<void> = async () => undefined,
  ): Promise<WrittenAgent | "taken" | undefined> => {
    try {
      return await pool.transaction(async (tx) => {
        const found = await tx.one<{ body: string }>(LOCK, [accountId, id]);
        if (!found) return undefined;
        const present = JSON.parse(found.body) as Agent;
        const next = rule(present);
        if (next.text !== found.body) {
          const statuses = [present.agent_status?.name, next.agent.agent_status?.name];
          await tx.rows(CHANGE, [accountId, id, ...columnsOf(next.agent), next.text, now, ...statuses]);
        }
        await more(tx, present, next.agent);
        return next;
      });
    } catch (error) {
      if (isTaken(error)) return "taken";
      throw error;
    }
  },

  /** `more` is executed in the same transaction. -> false for an unknown id */
  remove: (
    accountId: number,
    id: string,
    now: Date,
    more: (tx: Transaction, removed: Pick<Agent, "role_id" | "email">) => Promise<void>,
  ): Promise<boolean> =>
    pool.transaction(async (tx) => {
      const removed = await tx.one<Pick<Agent, "role_id" | "email">>(REMOVE, [accountId, id, now]);
      if (!removed) return false;
      await more(tx, removed);
      return true;
    }),
});

const AGENTS = sortedPages("agents_page", {
  sorts: sortsByField(AgentSchema, AGENT_SORT_FIELDS, {
    created_time: "created_time",
    first_name: sortKey("first_name"),
    last_name: sortKey("last_name"),
    email: sortKey("email"),
  }),
  matching: `
    select id, created_time, first_name, last_name, email, body
      from agents
     where account_id = $3
       and ($4::boolean is null or is_deactivated = $4)
       and ($5::text is null or $5 = any(groups))
       and ($6::text is null or availability_status = $6)`,
});
const AGENT_FACTS = statement(
  "agent_facts",
  `select id, internal_id, email, first_name, last_name, groups, is_deactivated, body::json ->> 'org_contact_id' as org_contact_id,
          body::json #>> '{avatar,url}' as avatar_url
     from agents
    where account_id = $1`,
);
const AGENT_BODY = statement("agent_body", `select body from agents where account_id = $1 and id = $2`);
const STATUSES = statement(
  "agent_statuses",
  `select id, name, availability_status from agent_statuses where account_id = $1 order by availability_status, ${sortKey("name")}, id`,
);

/** Absent: any. */
interface AgentFilter {
  readonly is_deactivated?: boolean | undefined;
  readonly groups?: string | undefined;
  readonly availability_status?: string | undefined;
}
interface AgentSort {
  readonly by: AgentSortField;
  readonly order: SortOrder;
}
/** A status of agents and its availability. */
export interface StatusRow {
  readonly id: string;
  readonly name: string;
  readonly availability_status: Agent["availability_status"];
}

/** Statements on the tables `agents` and `agent_statuses`. */
export const agentStore = (db: Pool) => ({
  list: (accountId: number, filter: AgentFilter, page: Page, { by, order }: AgentSort) =>
    readPage<Agent>(db, AGENTS(by, order), page, [
      accountId,
      filter.is_deactivated,
      filter.groups,
      filter.availability_status,
    ]),
  facts: async (accountId: number) => (await db.rows<DirectoryAgent>(AGENT_FACTS, [accountId])).map(withoutNulls),
  /** -> JSON text; undefined for an unknown id. */
  body: async (accountId: number, id: string) => (await db.one<{ body: string }>(AGENT_BODY, [accountId, id]))?.body,
  /** Statuses that make available first. */
  statuses: (accountId: number) => db.rows<StatusRow>(STATUSES, [accountId]),
  ...agentWrites(db),
});
export type AgentStore = ReturnType<typeof agentStore>;

/** Updates the copies that agents hold: the name of the role, the name of the status, and the availability of the status. */
const FOLLOW_ROLES = statement(
  "agents_follow_roles",
  `update agents a
      set body = jsonb_set(a.body::jsonb, '{role_name}', to_jsonb(r.name))::text
     from json_to_recordset($2) as r(id text, name text)
    where a.account_id = $1
      and a.body::json ->> 'role_id' = r.id
      and a.body::json ->> 'role_name' is distinct from r.name`,
);
const FOLLOW_STATUSES = statement(
  "agents_follow_statuses",
  `update agents a
      set availability_status = s.availability_status,
          body = (a.body::jsonb || jsonb_build_object(
                    'availability_status', s.availability_status,
                    'agent_status', jsonb_build_object('id', s.id, 'name', s.name)))::text
     from json_to_recordset($2) as s(id text, name text, availability_status text)
    where a.account_id = $1
      and a.body::json -> 'agent_status' ->> 'id' = s.id`,
);

/** @shape roles: id and name of changed roles; statuses: id, name and availability_status of changed statuses */
export const followDirectory = async (
  tx: Db,
  accountId: number,
  { roles, statuses }: { readonly roles: readonly object[]; readonly statuses: readonly object[] },
): Promise<void> => {
  if (roles.length > 0) await tx.rows(FOLLOW_ROLES, [accountId, JSON.stringify(roles)]);
  if (statuses.length > 0) await tx.rows(FOLLOW_STATUSES, [accountId, JSON.stringify(statuses)]);
};

const FOLLOW_SESSIONS = statement(
  "agents_follow_sessions",
  `update agents a
      set body = jsonb_set(a.body::jsonb, '{login_status}', to_jsonb(s.is_signed_in))::text
     from (select exists (select from agent_sessions where account_id = $1 and agent_id = $2) as is_signed_in) s
    where a.account_id = $1 and a.id = $2 and (a.body::json ->> 'login_status')::boolean is distinct from s.is_signed_in`,
);

/** Sets an agent's `login_status`: whether it has a session. @spec Resources and their fields > Agent object */
export const followSessions = (
  db: Db,
  { account_id, agent_id }: { readonly account_id: number; readonly agent_id: string },
): Promise<unknown> => db.rows(FOLLOW_SESSIONS, [account_id, agent_id]);

const INSERT_AGENTS = statement(
  "insert_agents",
  `insert into agents (account_id, id, email, first_name, last_name, groups, availability_status, is_deactivated,
                       created_time, body)
   select $1, r.id, r.email, r.first_name, r.last_name, array(select json_array_elements_text(r.groups)),
          r.availability_status, r.is_deactivated, r.created_time, r.body
     from json_to_recordset($2) as r(id uuid, email text, first_name text, last_name text, groups json,
                                     availability_status text, is_deactivated boolean, created_time timestamptz, body text)`,
);

/** Inserts agents with given ids, such as those of the demo accounts. */
export const insertAgents = (tx: Db, accountId: number, agents: readonly Agent[]): Promise<unknown> =>
  tx.rows(INSERT_AGENTS, [
    accountId,
    JSON.stringify(agents.map((agent) => ({ ...agent, body: JSON.stringify(agent) }))),
  ]);
