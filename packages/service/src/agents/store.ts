import type { Agent } from "@parley/contract";
import { statement, type Pool } from "@parley/database";
import { readPage, sortedPages, sortKey, type SortOrder } from "../db/page.ts";
import { withoutNulls } from "../db/row.ts";
import type { Page } from "../http/pagination.ts";
import { agentWrites } from "./db/write.ts";

const AGENTS = sortedPages("agents_page", {
  sorts: {
    created_time: "created_time",
    first_name: sortKey("first_name"),
    last_name: sortKey("last_name"),
    email: sortKey("email"),
  },
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
  `select id, internal_id, email, first_name, last_name, groups, is_deactivated, body::json ->> 'org_contact_id' as org_contact_id
     from agents
    where account_id = $1`,
);
const AGENT_BODY = statement("agent_body", `select body from agents where account_id = $1 and id = $2`);
const STATUSES = statement(
  "agent_statuses",
  `select id, name, availability_status from agent_statuses where account_id = $1 order by availability_status, ${sortKey("name")}, id`,
);

/** What rules need to know of an agent. */
export interface AgentFacts {
  readonly id: string;
  readonly internal_id: number;
  readonly email: string;
  readonly first_name?: string;
  readonly last_name?: string;
  readonly groups: readonly string[];
  readonly is_deactivated: boolean;
  readonly org_contact_id?: string;
}
/** Absent: any. */
export interface AgentFilter {
  readonly is_deactivated?: boolean | undefined;
  readonly groups?: string | undefined;
  readonly availability_status?: string | undefined;
}
export interface AgentSort {
  readonly by: "created_time" | "first_name" | "last_name" | "email";
  readonly order: SortOrder;
}
/** A status that agents may have, with what follows from it. */
export interface StatusRow {
  readonly id: string;
  readonly name: string;
  readonly availability_status: Agent["availability_status"];
}

/** Rows of the tables `agents` and `agent_statuses`. */
export const agentStore = (db: Pool) => ({
  list: (accountId: number, filter: AgentFilter, page: Page, { by, order }: AgentSort) =>
    readPage<Agent>(db, AGENTS(by, order), page, [
      accountId,
      filter.is_deactivated,
      filter.groups,
      filter.availability_status,
    ]),
  facts: async (accountId: number) => (await db.rows<AgentFacts>(AGENT_FACTS, [accountId])).map(withoutNulls),
  /** -> JSON text; undefined for an unknown id. */
  body: async (accountId: number, id: string) => (await db.one<{ body: string }>(AGENT_BODY, [accountId, id]))?.body,
  /** Those that make available first. */
  statuses: (accountId: number) => db.rows<StatusRow>(STATUSES, [accountId]),
  ...agentWrites(db),
});
export type AgentStore = ReturnType<typeof agentStore>;
