import { MISSING_PARAMETER, refuse, USER_FILTERS, USER_NOT_FOUND, users } from "@parley/contract";
import type { AgentReach } from "../conversations/reach.sql.ts";
import { clampPage, pageReply } from "../../http/pagination.ts";
import { rawJson, defineRoutes } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { ChangeUser } from "./change.ts";
import type { CreateUser } from "./create.ts";
import type { UserFilters } from "./filters.sql.ts";
import type { RemoveUser } from "./remove.ts";
import type { UserStore } from "./store.ts";

/** @spec Endpoints > Users */
const CHANGEABLE = ["email", "first_name", "last_name", "phone"] as const;

interface UserDeps {
  readonly users: UserStore;
  readonly createUser: CreateUser;
  readonly changeUser: ChangeUser;
  readonly removeUser: RemoveUser;
  /** Restricts agents' sessions to their scope. */
  readonly reach: Pick<AgentReach, "users" | "conversations">;
}

/** A malformed id is treated as not found; a uuid column would reject it. */
const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : refuse(USER_NOT_FOUND));

/** @errors MISSING_PARAMETER, since a list without filters would return all users */
const filtersOf = (query: UserFilters): UserFilters => {
  const fields = USER_FILTERS.filter((name) => query[name] !== undefined);
  if (fields.length === 0) refuse(MISSING_PARAMETER, `Give at least one of the filters ${USER_FILTERS.join(", ")}.`);
  return Object.fromEntries(fields.map((name) => [name, query[name]]));
};

export const userRoutes = ({ users: store, createUser, changeUser, removeUser, reach }: UserDeps) =>
  defineRoutes(users, {
    async createUser({ body, caller, claim }) {
      return rawJson((await createUser(caller.account.id, body, claim)).text);
    },

    async listUsers({ query, caller, request }) {
      const filters = filtersOf(query);
      const { page, itemsPerPage, offset } = clampPage(query);
      const { sort_by = "created_time", sort_order = "asc" } = query;
      const { total, items } = await store.list(caller.account.id, {
        filters,
        sort_by,
        sort_order,
        limit: itemsPerPage,
        offset,
      });
      const reply = pageReply({ name: "users", rel: "user", items: [], total, page, itemsPerPage, request });
      // The bodies are serialized already; only the surrounding JSON is built.
      const { pagination, links } = reply;
      return rawJson(`{"users":[${items}],${JSON.stringify({ pagination, links }).slice(1)}`);
    },

    async fetchUsers({ body, caller }) {
      const { account, agent } = caller;
      const named = [...new Set(body.ids.filter(isUuid).map((id) => id.toLowerCase()))];
      const ids = agent ? await reach.users(account.id, agent, named) : named;
      return rawJson(`{"users":[${(await store.fetch(account.id, [...ids])).join(",")}]}`);
    },

    async getUser({ params, caller }) {
      const text = await store.body(caller.account.id, idOf(params.user_id));
      return text === null ? refuse(USER_NOT_FOUND) : rawJson(text);
    },

    async updateUser({ params, body, caller }) {
      const change = { input: body, fields: CHANGEABLE };
      if (!(await changeUser(caller.account.id, idOf(params.user_id), change))) refuse(USER_NOT_FOUND);
    },

    async listUserConversations({ params, caller }) {
      const { account, agent } = caller;
      const all = (await store.conversations(account.id, idOf(params.user_id))) ?? refuse(USER_NOT_FOUND);
      const ids = agent ? await reach.conversations(account.id, agent, all) : all;
      return { conversations: ids.map((id) => ({ id })) };
    },

    async deleteUser({ params, caller, request }) {
      const id = idOf(params.user_id);
      if (!(await removeUser(caller.account.id, id))) refuse(USER_NOT_FOUND);
      return { id, link: { rel: "user", href: `${request.basePath}/users/${id}`, type: "GET" } };
    },
  });
