import { statement, type Pool } from "@parley/database";
import type { InputOf, User, users } from "@parley/contract";
import { v7 } from "uuid";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { userJson } from "../../../src/messaging/users/user.ts";
import type { ServiceHarness } from "../../service-harness.ts";

export type UserListQuery = InputOf<typeof users.listUsers>["query"];

export const ACCOUNT_ID = 1001;

const INSERT = statement(
  "",
  `insert into users (id, account_id, created_time, updated_time, first_name, last_name, email, phone, reference_id, body)
   select id, $1, created_time, updated_time, first_name, last_name, email, phone, reference_id, body
     from json_to_recordset($2) as r (id uuid, created_time timestamptz, updated_time timestamptz, first_name text, last_name text,
                                      email text, phone text, reference_id text, body text)`,
);

/** Inserts users directly into the table with any creation time, as an import does. */
export const insertUsers = async (
  pool: Pool,
  people: readonly (Partial<User> & { created_time: string })[],
  account = ACCOUNT_ID,
): Promise<User[]> => {
  const complete = people.map((person): User => ({
    id: v7(),
    updated_time: person.created_time,
    login_status: false,
    ...person,
  }));
  const rows = complete.map((user) => ({ ...user, body: userJson(user) }));
  await pool.rows(INSERT, [account, JSON.stringify(rows)]);
  return complete;
};

export const openPool = (w: ServiceHarness): Pool => w.database.pool(SERVICE_SCHEMA, { max: 2 });

/** Returns all ids of a list, page by page, with the totals of the pages. */
export const readAllPages = async (
  w: ServiceHarness,
  query: UserListQuery,
): Promise<{ ids: string[]; totals: Set<number> }> => {
  const ids: string[] = [];
  const totals = new Set<number>();
  for (let page = 1; ; page += 1) {
    const reply = await w.client.users.listUsers({ query: { ...query, page } });
    ids.push(...reply.users.map(({ id }) => id));
    totals.add(reply.pagination.total_items);
    if (!reply.links.next_page) return { ids, totals };
  }
};
