import { PERMISSIONS, type Permission } from "@parley/contract";
import type { AccountStore } from "../../accounts/store.ts";
import type { Ports } from "../../environment/ports.ts";
import { isTokenShaped, newToken, type ApiTokenStore } from "./store.ts";
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

/** Issues, checks, renews and revokes tokens. */
export const createTokenAdmin = ({
  store,
  accounts,
  ports,
}: {
  store: ApiTokenStore;
  accounts: AccountStore;
  ports: Ports;
}) => ({
  /** The reply is the only place with the token's text. @errors Error for an unknown account */
  async issue({
    account,
    name,
    permissions = PERMISSIONS,
    lifetimeSeconds = DEFAULT_LIFETIME_S,
    expires,
  }: TokenRequest) {
    const owner = await accounts.byName(account);
    if (!owner) throw new Error(`There is no account '${account}'.`);
    const token = newToken(ports.random);
    const id = ports.newId();
    const created_time = ports.now();
    const expires_time = expires ?? new Date(created_time.getTime() + lifetimeSeconds * 1000);
    await store.insert({
      hash: hashOf(token),
      id,
      account_id: owner.id,
      name,
      permissions,
      created_time,
      expires_time,
    });
    return { id, token, name, permissions, expires_time };
  },
  async isValid(token: string) {
    if (!isTokenShaped(token)) return false;
    const [row] = await store.find([hashOf(token)]);
    return row !== undefined && row.expires_time > ports.now();
  },
  /**
   * Sets the permissions of a token and extends its expiry to at least the default lifetime from now. Every process applies this within a
   * second.
   * -> false for a token that the account does not have, or that was revoked
   */
  async renew(token: string, { account, permissions }: { account: string; permissions: readonly Permission[] }) {
    const owner = await accounts.byName(account);
    if (!owner || !isTokenShaped(token)) return false;
    const expires_time = new Date(ports.now().getTime() + DEFAULT_LIFETIME_S * 1000);
    const renewed = await store.renew({ hash: hashOf(token), account_id: owner.id, permissions, expires_time });
    return renewed !== undefined;
  },
  /** Every process refuses the token within a second. */
  async revoke(id: string) {
    await store.revoke(id, ports.now());
  },
});
