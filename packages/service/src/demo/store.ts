import type { Agent } from "@parley/contract";
import { statement, type Db } from "@parley/database";

const INSERT_AGENTS = statement(
  "demo_agents",
  `insert into agents (account_id, id, email, first_name, last_name, groups, availability_status, is_deactivated,
                       created_time, body)
   select $1, r.id, r.email, r.first_name, r.last_name, array(select json_array_elements_text(r.groups)),
          r.availability_status, r.is_deactivated, r.created_time, r.body
     from json_to_recordset($2) as r(id uuid, email text, first_name text, last_name text, groups json,
                                     availability_status text, is_deactivated boolean, created_time timestamptz, body text)`,
);

/** Inserts agents with given ids. */
export const demoStore = (tx: Db) => ({
  insertAgents: (accountId: number, agents: readonly Agent[]) =>
    tx.rows(INSERT_AGENTS, [
      accountId,
      JSON.stringify(agents.map((agent) => ({ ...agent, body: JSON.stringify(agent) }))),
    ]),
});
