import { customers, refuse, USER_NOT_FOUND } from "@parley/contract";
import type { Pool } from "@parley/database";
import type { RecordAudit } from "../../identity/audit/record.sql.ts";
import { sessionAgent } from "../../http/session-agent.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import { visitorPageStore } from "../../messaging/visitor-pages/store.ts";
import { defineRoutes } from "../../http/route-handlers.ts";
import { isUuid } from "../../http/uuid.ts";
import { blockStore } from "./blocks.sql.ts";
import { customerCursor, parseCustomerCursor } from "./cursor.ts";
import { customerLines } from "./export.ts";
import type { CustomerStore } from "./store.ts";

interface CustomerDeps {
  readonly store: CustomerStore;
  readonly directory: Directory;
  readonly pool: Pool;
  readonly now: () => Date;
  readonly recordAudit: RecordAudit;
  /** Renews expired addresses of uploads. */
  readonly resignUrls: (text: string, accountId: number) => string;
}

const PAGE_SIZE = 50;

/** A malformed id is treated as not found; a uuid column would reject it. */
const idOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : refuse(USER_NOT_FOUND));

export const customerRoutes = ({ store, directory, pool, now, recordAudit, resignUrls }: CustomerDeps) => {
  /** -> the id @errors USER_NOT_FOUND */
  const knownUser = async (accountId: number, text: string): Promise<string> => {
    const id = idOf(text);
    return (await store.user(accountId, id)) === undefined ? refuse(USER_NOT_FOUND) : id;
  };
  const linesOf = customerLines({ store, pages: visitorPageStore(pool), directory });
  return defineRoutes(customers, {
    async listCustomers({ query, caller }) {
      const { order = "newest", limit = PAGE_SIZE, cursor } = query;
      const text = query.text?.trim() || undefined;
      const after = cursor === undefined ? undefined : parseCustomerCursor(order, cursor);
      // One more than the page holds, to find out whether there is a next page.
      const asked = { text, order, after, limit: limit + 1 };
      const rows = await store.list(caller.account.id, sessionAgent(caller), asked);
      const page = rows.slice(0, limit);
      const last = rows.length > limit ? page.at(-1) : undefined;
      return {
        customers: page.map(({ customer }) => customer),
        ...(last && { next: customerCursor(last.position) }),
        // A page without rows has no total: the first one is that of an empty list.
        ...(after === undefined && { total: rows[0]?.total ?? 0 }),
      };
    },

    async listRatings({ params, caller: { account, ...caller } }) {
      const id = await knownUser(account.id, params.user_id);
      return { ratings: await store.ratings(account.id, sessionAgent(caller), id) };
    },

    async exportCustomer({ params, caller: { account }, actor }) {
      const id = idOf(params.user_id);
      const user = (await store.user(account.id, id)) ?? refuse(USER_NOT_FOUND);
      await pool.transaction((tx) => recordAudit(tx, { actor, action: "customer.export", account, subject: id }));
      async function* lines(): AsyncGenerator<string> {
        for await (const chunk of linesOf(account, user)) yield resignUrls(chunk, account.id);
      }
      return { lines: lines() };
    },

    async getCustomerBlock({ params, caller: { account } }) {
      return blockStore(pool).find(account.id, await knownUser(account.id, params.user_id));
    },

    async blockCustomer({ params, caller, actor }) {
      const { account } = caller;
      const id = await knownUser(account.id, params.user_id);
      return pool.transaction(async (tx) => {
        const blocks = blockStore(tx);
        if (await blocks.add(account.id, id, sessionAgent(caller).id, now()))
          await recordAudit(tx, { actor, action: "customer.block", account, subject: id });
        return blocks.find(account.id, id);
      });
    },

    async unblockCustomer({ params, caller: { account }, actor }) {
      const id = await knownUser(account.id, params.user_id);
      return pool.transaction(async (tx) => {
        if (await blockStore(tx).remove(account.id, id))
          await recordAudit(tx, { actor, action: "customer.unblock", account, subject: id });
        return { is_blocked: false };
      });
    },
  });
};
