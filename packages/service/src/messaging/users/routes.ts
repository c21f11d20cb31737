import {
  type Changes,
  type NewUser,
  type User,
  MISSING_PARAMETER,
  refuse,
  USER_FILTERS,
  USER_NOT_FOUND,
  users,
} from "@parley/contract";
import type { AgentReach } from "../conversations/reach.sql.ts";
import type { NotifyOwnChange } from "../../http/own-change.ts";
import type { Directory } from "../directory/directory.ts";
import { checkProfileFields } from "../accounts/profile-fields.ts";
import { partitionOf } from "../../base/log/store.ts";
import { clampPage, pageReply } from "../../http/pagination.ts";
import { rawJson, defineRoutes } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { blankMessage, blankProperties, blankUser, createRedaction } from "./redact.ts";
import type { CreateUser } from "./create.ts";
import type { UserFilters } from "./filters.sql.ts";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import type { UserStore } from "./store.ts";
import { userJson } from "./user.ts";

/** @spec Endpoints > Users */
const CHANGEABLE = ["email", "first_name", "last_name", "phone"] as const;

/**
 * Applies a PUT: the next revision and `[old, new]` by field.
 * @shape undefined: no field differs
 */
const changeUser = (
  user: User,
  fields: NewUser,
  now: Date,
): { readonly user: User; readonly changes: Changes } | undefined => {
  const changed = CHANGEABLE.filter((field) => fields[field] !== undefined && fields[field] !== user[field]);
  if (changed.length === 0) return undefined;
  const values = Object.fromEntries(changed.map((field) => [field, fields[field]]));
  return {
    user: { ...user, ...values, updated_time: now.toISOString() },
    changes: {
      model_changes: Object.fromEntries(changed.map((field) => [field, [user[field] ?? null, fields[field] ?? null]])),
    },
  };
};

interface UserDeps {
  readonly users: UserStore;
  readonly createUser: CreateUser;
  readonly directory: Pick<Directory, "fields">;
  /** Restricts agents' sessions to their scope. */
  readonly reach: Pick<AgentReach, "users" | "conversations">;
  /** Erase personal data in the tables of all areas. */
  readonly erasers: () => readonly PersonalDataEraser[];
  readonly ports: Ports;
  /** Notifies the event dispatcher of a commit. */
  readonly wake: () => void;
  /** Tells agents who have the console open that a user was deleted: no event says so. */
  readonly notifyOwnChange: NotifyOwnChange;
}

/** A malformed id is treated as not found; a uuid column would reject it. */
const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : refuse(USER_NOT_FOUND));

/** @errors MISSING_PARAMETER, since a list without filters would return all users */
const filtersOf = (query: UserFilters): UserFilters => {
  const fields = USER_FILTERS.filter((name) => query[name] !== undefined);
  if (fields.length === 0) refuse(MISSING_PARAMETER, `Give at least one of the filters ${USER_FILTERS.join(", ")}.`);
  return Object.fromEntries(fields.map((name) => [name, query[name]]));
};

export const userRoutes = ({ users: store, createUser, directory, reach, erasers, ports, ...notify }: UserDeps) =>
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
      const id = idOf(params.user_id);
      const changed = await store.change(caller.account.id, id, (found) => {
        const user = JSON.parse(found.body) as User;
        checkProfileFields(body, user);
        const next = changeUser(user, body, ports.now());
        return (
          next && {
            ...next.user,
            body: userJson(next.user),
            event_id: ports.newId(),
            partition: partitionOf(id),
            changes: JSON.stringify(next.changes),
          }
        );
      });
      if (changed === undefined) refuse(USER_NOT_FOUND);
      if (changed) notify.wake();
    },

    async listUserConversations({ params, caller }) {
      const { account, agent } = caller;
      const all = (await store.conversations(account.id, idOf(params.user_id))) ?? refuse(USER_NOT_FOUND);
      const ids = agent ? await reach.conversations(account.id, agent, all) : all;
      return { conversations: ids.map((id) => ({ id })) };
    },

    async deleteUser({ params, caller, request }) {
      const id = idOf(params.user_id);
      const fields = await directory.fields(caller.account.id);
      const blanks = {
        now: ports.now(),
        user: blankUser,
        redaction: createRedaction,
        message: blankMessage,
        properties: (text: string) => blankProperties(text, fields),
      };
      const removed = await store.remove(caller.account.id, id, blanks, erasers());
      if (!removed) refuse(USER_NOT_FOUND);
      notify.notifyOwnChange(caller.account.id, undefined, { kind: "deleted_user", user_id: id });
      return { id, link: { rel: "user", href: `${request.basePath}/users/${id}`, type: "GET" } };
    },
  });
