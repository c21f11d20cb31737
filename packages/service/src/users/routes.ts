import { MISSING_PARAMETER, refuse, USER_FILTERS, USER_NOT_FOUND, users, type User } from "@parley/contract";
import type { Directory } from "../accounts/directory.ts";
import { checkProfile } from "../accounts/profile.ts";
import { partitionOf } from "../events/partition.ts";
import { clampPage, pageReply } from "../http/pagination.ts";
import { rawJson, slice } from "../http/slice.ts";
import { isUuid } from "../http/uuid.ts";
import type { Ports } from "../ports.ts";
import { blankMessage, blankProperties, blankUser } from "./blank.ts";
import { changeUser } from "./change.ts";
import type { UserFilters } from "./db/filters.ts";
import type { Eraser } from "./db/removal.ts";
import type { UserStore } from "./store.ts";
import { redaction } from "./traces.ts";
import { newUser, userText } from "./user.ts";

/** All that these handlers may touch. */
export interface UserDeps {
  readonly users: UserStore;
  readonly directory: Pick<Directory, "fields">;
  /** What else keeps something of users. */
  readonly erasers: readonly Eraser[];
  readonly ports: Ports;
  /** Tells the dispatcher of events that something was committed. */
  readonly wake: () => void;
}

/** What is no id names nobody, and no uuid column would take it. */
const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : refuse(USER_NOT_FOUND));

/** @errors MISSING_PARAMETER, since a list of everybody is asked for by no filter at all */
const filtersOf = (query: UserFilters): UserFilters => {
  const given = USER_FILTERS.filter((name) => query[name] !== undefined);
  if (given.length === 0) refuse(MISSING_PARAMETER, `Give at least one of the filters ${USER_FILTERS.join(", ")}.`);
  return Object.fromEntries(given.map((name) => [name, query[name]]));
};

export const userSlice = ({ users: store, directory, erasers, ports, wake }: UserDeps) =>
  slice(users, {
    async createUser({ body, caller, claim }) {
      checkProfile(body);
      const user = newUser(body, ports);
      const text = userText(user);
      await store.add({
        ...user,
        account_id: caller.account.id,
        body: text,
        event_id: ports.newId(),
        partition: partitionOf(user.id),
        claim,
      });
      wake();
      return rawJson(text);
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
      // The bodies are the reply's own text already: only what is around them is printed.
      const { pagination, links } = reply;
      return rawJson(`{"users":[${items}],${JSON.stringify({ pagination, links }).slice(1)}`);
    },

    async fetchUsers({ body, caller }) {
      const ids = new Set(body.ids.filter(isUuid).map((id) => id.toLowerCase()));
      return rawJson(`{"users":[${(await store.fetch(caller.account.id, [...ids])).join(",")}]}`);
    },

    async getUser({ params, caller }) {
      const text = await store.body(caller.account.id, idOf(params.user_id));
      return text === null ? refuse(USER_NOT_FOUND) : rawJson(text);
    },

    async updateUser({ params, body, caller }) {
      const id = idOf(params.user_id);
      const changed = await store.change(caller.account.id, id, (found) => {
        const user = JSON.parse(found.body) as User;
        checkProfile({ email: body.email }, user);
        const next = changeUser(user, body, ports.now());
        return (
          next && {
            ...next.user,
            body: userText(next.user),
            event_id: ports.newId(),
            partition: partitionOf(id),
            changes: JSON.stringify(next.changes),
          }
        );
      });
      if (changed === undefined) refuse(USER_NOT_FOUND);
      if (changed) wake();
    },

    async listUserConversations({ params, caller }) {
      const ids = await store.conversations(caller.account.id, idOf(params.user_id));
      return { conversations: (ids ?? refuse(USER_NOT_FOUND)).map((id) => ({ id })) };
    },

    async deleteUser({ params, caller, request }) {
      const id = idOf(params.user_id);
      const fields = await directory.fields(caller.account.id);
      const blanks = {
        now: ports.now(),
        user: blankUser,
        redaction,
        message: blankMessage,
        properties: (text: string) => blankProperties(text, fields),
      };
      const removed = await store.remove(caller.account.id, id, blanks, erasers);
      if (!removed) refuse(USER_NOT_FOUND);
      return { id, link: { rel: "user", href: `${request.basePath}/users/${id}`, type: "GET" } };
    },
  });
