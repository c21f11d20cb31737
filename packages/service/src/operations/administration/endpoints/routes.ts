import {
  basePathOf,
  type AccountDocument,
  type AccountSummary,
  type AppliedDocument,
  FORBIDDEN,
  INVALID_VALUE,
  isAtLeast,
  refuse,
  type AccessToken,
  type NewAccessToken,
  type accountLifecycle,
  ACCOUNT_CLOSED,
  ACCOUNT_NOT_FOUND,
  admin,
  TOKEN_NOT_FOUND,
  type agentSettings,
  type appSubscriptions,
  type auditLog,
  type deliveries,
  type webhooks,
} from "@parley/contract";
import {
  accountOfRow,
  closedTimesOf,
  type StoredAccountRow,
  type AccountStore,
  accountStore,
} from "../../../messaging/accounts/store.ts";
import { callsPerHourOf, secondsLeftInHour, hourWindowOf } from "../../../identity/allowance/allowance.ts";
import {
  type CallerAccount,
  defineRoutes,
  type RequestActor,
  type RouteHandlers,
} from "../../../http/route-handlers.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import type { RecordAudit } from "../../../identity/audit/record.sql.ts";
import { reportedActor } from "../../../identity/audit/reported-actor.ts";
import { type ListedToken, apiTokenStore } from "../../../identity/authentication/tokens/store.ts";
import type { Pool } from "@parley/database";
import type { Authentication } from "../../../identity/authentication/authentication.ts";
import { clampPage, pageReply } from "../../../http/pagination.ts";
import { isUuid } from "../../../http/uuid.ts";
import { applyDocument } from "../document/apply.ts";
import { readState } from "../document/account-lists.sql.ts";
import { documentOf } from "../document/sections/state.ts";
import { setupStore } from "../document/store.ts";
import { createTokenAdmin } from "../../../identity/authentication/tokens/manage-tokens.ts";
import { VERSION } from "../../../base/environment/package.ts";

const NO_CREATOR =
  "Only an account admin can create API keys, and the signed-in agent is not an account admin. Ask an account admin to do this, or to give you a key.";

const basePath = ({ name, configuration }: CallerAccount): string =>
  basePathOf({ name, bundle_id: configuration.bundle_id });

/** An account as lists show it. */
const summaryOf = (row: StoredAccountRow): AccountSummary => {
  const account = accountOfRow(row);
  const { bundle_id: id, bundle_type: type } = account.configuration;
  const { name, plan_type } = account;
  return {
    id: account.id,
    name,
    base_path: basePath(account),
    plan_type,
    bundle: { id, type },
    ...closedTimesOf(row),
  };
};

interface RateLimitQuery {
  readonly callsPerHour: number | undefined;
  /** Name of an account; absent: all. */
  readonly account?: string;
}

/** The rate limit of each account in the current hour. */
const rateLimits = async (
  accounts: Pick<AccountStore, "withCalls">,
  { now, callsPerHour, account: only }: Pick<Ports, "now"> & RateLimitQuery,
) => {
  const window = hourWindowOf(now());
  const rows = await accounts.withCalls(new Date(window), only);
  return rows.map(({ used, ...row }) => {
    const account = accountOfRow(row);
    const limit = callsPerHourOf(account, callsPerHour);
    return {
      name: account.name,
      base_path: basePath(account),
      plan_type: account.plan_type,
      calls: { limit, used, left: Math.max(0, limit - used), reset: secondsLeftInHour(window, now()) },
    };
  });
};

/** Maximum lifetime of a token. @units seconds */
const LIFETIME_S_MAX = 10 * 365 * 24 * 60 * 60;

/** The requested end of a token; empty: the default lifetime. @errors INVALID_VALUE */
const endOf = (
  { expires_in_seconds, expires_time }: Pick<NewAccessToken, "expires_in_seconds" | "expires_time">,
  now: Date,
): { lifetimeSeconds?: number | undefined; expires?: Date } => {
  if (expires_time === undefined) return { lifetimeSeconds: expires_in_seconds };
  if (expires_in_seconds !== undefined)
    refuse(INVALID_VALUE, "expires_time and expires_in_seconds say the same in two ways: give one of them");
  const expires = new Date(expires_time);
  const seconds = (expires.getTime() - now.getTime()) / 1000;
  if (!(seconds > 0)) refuse(INVALID_VALUE, "expires_time must lie in the future");
  if (seconds > LIFETIME_S_MAX) refuse(INVALID_VALUE, "expires_time must lie within ten years");
  return { expires };
};

const accessTokenOf = ({ permissions, revoked_time, last_used_time, ...token }: ListedToken): AccessToken => ({
  ...token,
  permissions: [...permissions],
  created_time: token.created_time.toISOString(),
  expires_time: token.expires_time.toISOString(),
  ...(revoked_time && { revoked_time: revoked_time.toISOString() }),
  ...(last_used_time && { last_used_time: last_used_time.toISOString() }),
});

/** Members of an account document that the operator of the installation decides about. */
const OPERATOR_MEMBERS: readonly (keyof AccountDocument)[] = [
  "plan_type",
  "datacenter",
  "bundle",
  "organisation",
  "calls_per_hour",
];

/** @errors FORBIDDEN for a session whose document changes a member that the operator decides about */
const checkOperatorMembers = ({ agent }: RequestActor, changes: AppliedDocument["changes"]): void => {
  if (!agent) return;
  const changed = changes.flatMap(({ section, members }) => (section === "account" ? members : []));
  const member = OPERATOR_MEMBERS.find((name) => changed.includes(name));
  if (member) refuse(FORBIDDEN, `${member} can be changed by the operator of the installation only: leave it out.`);
};

interface AdminRouteDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  /** Whether the database is embedded. */
  readonly embedded: boolean;
  readonly callsPerHour: number | undefined;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** What this process caches of an account is read again. */
  readonly forgetAccount: (accountId: number) => void;
  /** Handlers of operations that other folders implement. */
  readonly otherHandlers: RouteHandlers<
    typeof webhooks &
      typeof appSubscriptions &
      typeof deliveries &
      typeof agentSettings &
      typeof accountLifecycle &
      typeof auditLog
  > &
    Authentication["handlers"];
  readonly recordAudit: RecordAudit;
}

/** The admin endpoints. */
export const adminRoutes = ({
  pool,
  ports,
  embedded,
  callsPerHour,
  domain,
  forgetAccount,
  otherHandlers,
  recordAudit,
}: AdminRouteDeps) => {
  const [accounts, tokens] = [accountStore(pool), apiTokenStore(pool)];
  const tokenAdmin = createTokenAdmin({ pool, ports, recordAudit });
  const find = async (name: string) => (await accounts.byName(name)) ?? refuse(ACCOUNT_NOT_FOUND);
  /**
   * The platform creates the keys of apps with the admin key, for the agent who installs or upgrades an app: it may not create a key that
   * the agent's own session may not create.
   * @errors FORBIDDEN
   */
  const checkTokenCreator = async (accountId: number, agentId: string): Promise<void> => {
    const role = isUuid(agentId) ? await tokens.roleOfAgent(accountId, agentId) : undefined;
    if (role === undefined || !isAtLeast(role, admin.createToken.access.session.role)) refuse(FORBIDDEN, NO_CREATOR);
  };

  return defineRoutes(admin, {
    ...otherHandlers,
    async listAccounts({ query, request }) {
      const page = clampPage(query);
      const { total, items } = await accounts.list(page, query.sort_order ?? "asc");
      return pageReply({ name: "accounts", rel: "account", items: items.map(summaryOf), total, ...page, request });
    },
    async getAccount({ params }) {
      await find(params.account);
      return pool.transaction(async (tx) => {
        // Several tables are read: the lock keeps a document from being applied in between.
        await setupStore(tx).lockShared(params.account);
        const row = (await accountStore(tx).byName(params.account)) ?? refuse(ACCOUNT_NOT_FOUND);
        return documentOf(await readState(tx, row));
      });
    },
    async applyAccount({ params, query, body, actor }) {
      if (body.name !== params.account)
        refuse(INVALID_VALUE, `name must be ${params.account.slice(0, 100)}, as in the address`);
      const { dry_run: dryRun = false, prune = false } = query;
      const check = (changes: AppliedDocument["changes"]) => checkOperatorMembers(actor, changes);
      const applied = await applyDocument({ pool, ports, domain }, body, {
        dryRun,
        prune,
        check,
        audit: { actor, recordAudit },
      });
      if (!dryRun) forgetAccount((await find(params.account)).id);
      return applied;
    },
    async listTokens({ params, query, request }) {
      const page = clampPage(query);
      const { total, items } = await tokens.list((await find(params.account)).id, page);
      return pageReply({ name: "tokens", rel: "token", items: items.map(accessTokenOf), total, ...page, request });
    },
    async createToken({ params, body, actor }) {
      const { id, name: account, closed_time } = await find(params.account);
      if (closed_time) refuse(ACCOUNT_CLOSED);
      const { agent_id } = body;
      if (agent_id !== undefined && actor.type !== "operator")
        refuse(
          INVALID_VALUE,
          "agent_id is for the admin key only: leave it out. The audit log names the session's agent.",
        );
      if (agent_id !== undefined) await checkTokenCreator(id, agent_id);
      const permissions = body.permissions && [...new Set(body.permissions)];
      const request = { account, name: body.name, permissions, ...endOf(body, ports.now()) };
      const creator = agent_id === undefined ? actor : await reportedActor(pool, id, { agent_id });
      const made = await tokenAdmin.issue(request, creator);
      return { ...made, permissions: [...made.permissions], expires_time: made.expires_time.toISOString() };
    },
    async revokeToken({ params: { token_id: id }, actor }) {
      if (!isUuid(id)) refuse(TOKEN_NOT_FOUND);
      // A session reaches the tokens of its own account only.
      await tokenAdmin.revoke(id, actor, actor.accountId);
      return accessTokenOf((await tokens.byId(id, actor.accountId)) ?? refuse(TOKEN_NOT_FOUND));
    },
    async getAllowance({ params: { account } }) {
      await find(account);
      const [found = refuse(ACCOUNT_NOT_FOUND)] = await rateLimits(accounts, { now: ports.now, callsPerHour, account });
      return { plan_type: found.plan_type, calls: found.calls };
    },
    async getStatus() {
      return {
        version: VERSION,
        pid: process.pid,
        database: { embedded },
        accounts: await rateLimits(accounts, { now: ports.now, callsPerHour }),
      };
    },
  });
};
