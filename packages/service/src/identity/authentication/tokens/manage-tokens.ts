import { PERMISSIONS, type Permission } from "@parley/contract";
import type { Pool } from "@parley/database";
import { accountStore } from "../../../messaging/accounts/store.ts";
import type { AuditActor, RecordAudit } from "../../audit/record.sql.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { apiTokenStore, isTokenShaped, newToken } from "./store.ts";
import { hashOf } from "../secrets/secrets.ts";

interface TokenRequest {
  /** Account name. */
  readonly account: string;
  readonly name: string;
  /** All permissions when absent. */
  readonly permissions?: readonly Permission[] | undefined;
  readonly lifetimeSeconds?: number | undefined;
  /** Expiry time instead of a lifetime. */
  readonly expires?: Date | undefined;
}

/**
 * Default lifetime of a token.
 * @units seconds
 * @spec Authentication
 * @assumed 365 days.
 */
const DEFAULT_LIFETIME_S = 365 * 24 * 60 * 60;

const isSamePermissions = (some: readonly Permission[], others: readonly Permission[]): boolean =>
  some.length === others.length && some.every((permission) => others.includes(permission));

interface TokenAdminDeps {
  readonly pool: Pool;
  readonly ports: Ports;
  readonly recordAudit: RecordAudit;
}

/** Issues, checks, renews and revokes tokens. The audit log has an entry for each change. */
export const createTokenAdmin = ({ pool, ports, recordAudit }: TokenAdminDeps) => ({
  /** The reply is the only place with the token's text. @errors Error for an unknown account */
  async issue(
    { account, name, permissions = PERMISSIONS, lifetimeSeconds = DEFAULT_LIFETIME_S, expires }: TokenRequest,
    actor: AuditActor,
  ) {
    const owner = await accountStore(pool).byName(account);
    if (!owner) throw new Error(`There is no account '${account}'.`);
    const token = newToken(ports.random);
    const id = ports.newId();
    const created_time = ports.now();
    const expires_time = expires ?? new Date(created_time.getTime() + lifetimeSeconds * 1000);
    const row = { hash: hashOf(token), id, account_id: owner.id, name, permissions, created_time, expires_time };
    await pool.transaction(async (tx) => {
      await apiTokenStore(tx).insert(row);
      const details = { name, permissions, expires_time: expires_time.toISOString() };
      await recordAudit(tx, { actor, action: "token.create", account: owner, subject: id, details });
    });
    return { id, token, name, permissions, expires_time };
  },
  async isValid(token: string) {
    if (!isTokenShaped(token)) return false;
    const [row] = await apiTokenStore(pool).find([hashOf(token)]);
    return row !== undefined && row.expires_time > ports.now();
  },
  /**
   * Sets the permissions of a token and extends its expiry to at least the default lifetime from now. Every process applies this within a
   * second.
   * -> false for a token that the account does not have, or that was revoked
   */
  async renew(
    token: string,
    { account, permissions }: { account: string; permissions: readonly Permission[] },
    actor: AuditActor,
  ) {
    const owner = await accountStore(pool).byName(account);
    if (!owner || !isTokenShaped(token)) return false;
    const expires_time = new Date(ports.now().getTime() + DEFAULT_LIFETIME_S * 1000);
    return pool.transaction(async (tx) => {
      const store = apiTokenStore(tx);
      const [before] = await store.find([hashOf(token)]);
      const renewed = await store.renew({ hash: hashOf(token), account_id: owner.id, permissions, expires_time });
      if (!renewed || !before) return false;
      // A later expiry alone has no entry: every start of an instance renews the tokens of its apps.
      if (!isSamePermissions(before.permissions, permissions)) {
        const details = { name: before.token_name, members: ["permissions"], permissions };
        await recordAudit(tx, { actor, action: "token.change", account: owner, subject: before.id, details });
      }
      return true;
    });
  },
  /**
   * Every process refuses the token within a second.
   * @shape accountId: absent: a token of any account
   */
  async revoke(id: string, actor: AuditActor, accountId?: number) {
    await pool.transaction(async (tx) => {
      const revoked = await apiTokenStore(tx).revoke(id, ports.now(), accountId);
      if (!revoked) return;
      const account = { id: revoked.account_id, name: revoked.account };
      const details = { name: revoked.name };
      await recordAudit(tx, { actor, action: "token.revoke", account, subject: id.toLowerCase(), details });
    });
  },
});
