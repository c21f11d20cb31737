import {
  ACCOUNT_NOT_FOUND,
  admin,
  INVALID_VALUE,
  refuse,
  TOKEN_NOT_FOUND,
  type agentSettings,
  type webhooks,
} from "@parley/contract";
import type { Pool } from "@parley/database";
import type { Directory } from "../accounts/directory.ts";
import { accountStore } from "../accounts/store.ts";
import { deliveryHandlers } from "../events/admin.ts";
import { clampPage, pageReply } from "../http/pagination.ts";
import { slice, type HandlersOf } from "../http/slice.ts";
import { isUuid } from "../http/uuid.ts";
import type { Ports } from "../ports.ts";
import { applyDocument } from "../setup/apply.ts";
import { readState } from "../setup/db/read.ts";
import { documentOf } from "../setup/document.ts";
import { setupStore } from "../setup/store.ts";
import { tokenStore } from "../tokens/store.ts";
import { tokens } from "../tokens/tokens.ts";
import { VERSION } from "../version.ts";
import { standings, summaryOf } from "./status.ts";
import { accessTokenOf, endOf } from "./tokens.ts";

export interface AdminDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  /** Whether the database is the one that comes along. */
  readonly embedded: boolean;
  readonly callsPerHour: number | undefined;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  readonly directory: Pick<Directory, "forget">;
  /** Handlers of the rows that other rooms answer. */
  readonly others: HandlersOf<typeof webhooks & typeof agentSettings>;
}

/** What the owner of the installation asks for over HTTP. */
export const adminSlice = ({ pool, ports, embedded, callsPerHour, domain, directory, others }: AdminDeps) => {
  const [accounts, issued] = [accountStore(pool), tokenStore(pool)];
  const keys = tokens({ store: issued, accounts, ports });
  const find = async (name: string) => (await accounts.byName(name)) ?? refuse(ACCOUNT_NOT_FOUND);

  return slice(admin, {
    ...others,
    ...deliveryHandlers({ db: pool, ports }),
    async listAccounts({ query, request }) {
      const page = clampPage(query);
      const { total, items } = await accounts.list(page, query.sort_order ?? "asc");
      return pageReply({ name: "accounts", rel: "account", items: items.map(summaryOf), total, ...page, request });
    },
    async getAccount({ params }) {
      await find(params.account);
      return pool.transaction(async (tx) => {
        // Its tables are read one after the other: no run of a document may come between.
        await setupStore(tx).watch(params.account);
        const row = (await accountStore(tx).byName(params.account)) ?? refuse(ACCOUNT_NOT_FOUND);
        return documentOf(await readState(tx, row));
      });
    },
    async applyAccount({ params, query, body }) {
      if (body.name !== params.account)
        refuse(INVALID_VALUE, `name must be ${params.account.slice(0, 100)}, as in the address`);
      const { dry_run: dryRun = false, prune = false } = query;
      const applied = await applyDocument({ pool, ports, domain }, body, { dryRun, prune });
      if (!dryRun) directory.forget((await find(params.account)).id);
      return applied;
    },
    async listTokens({ params, query, request }) {
      const page = clampPage(query);
      const { total, items } = await issued.list((await find(params.account)).id, page);
      return pageReply({ name: "tokens", rel: "token", items: items.map(accessTokenOf), total, ...page, request });
    },
    async createToken({ params, body }) {
      const { name: account } = await find(params.account);
      const permissions = body.permissions && [...new Set(body.permissions)];
      const made = await keys.issue({ account, name: body.name, permissions, ...endOf(body, ports.now()) });
      return { ...made, permissions: [...made.permissions], expires_time: made.expires_time.toISOString() };
    },
    async revokeToken({ params: { token_id: id } }) {
      if (!isUuid(id)) refuse(TOKEN_NOT_FOUND);
      await issued.revoke(id, ports.now());
      return accessTokenOf((await issued.byId(id)) ?? refuse(TOKEN_NOT_FOUND));
    },
    async getStatus() {
      return {
        version: VERSION,
        pid: process.pid,
        database: { embedded },
        accounts: await standings(accounts, { now: ports.now, callsPerHour }),
      };
    },
  });
};
