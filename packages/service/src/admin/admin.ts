import type { Permission } from "@parley/contract";
import type { Pool } from "@parley/database";
import { accountStore } from "../accounts/store.ts";
import { ensureDemo } from "../demo/demo.ts";
import { createSubscriptions } from "../dispatch/index.ts";
import type { Ports } from "../environment/ports.ts";
import { apiTokenStore } from "../identity/store.ts";
import { createTokenAdmin } from "../identity/manage-tokens.ts";

/** What the owner of an installation may do, over all accounts. */
export interface AdminApi {
  /** Accounts acme and solo. May be called again. */
  ensureDemo(): Promise<void>;
  /**
   * Issues a token; this is the only moment at which its text is known.
   * @errors Error for an account that there is not
   */
  issueToken(options: {
    readonly account: string;
    readonly name: string;
    /** All when absent. */
    readonly permissions?: readonly Permission[];
    /** 365 days when absent. */
    readonly lifetimeSeconds?: number;
  }): Promise<{ id: string; token: string }>;
  isValidToken(token: string): Promise<boolean>;
  /**
   * Sets what a token may do, and lets it live for at least the usual time from now; every process knows within a second.
   * -> false for a token that the account does not have, or that was revoked
   */
  renewToken(
    token: string,
    to: { readonly account: string; readonly permissions: readonly Permission[] },
  ): Promise<boolean>;
  /** Every process refuses the token within a second. */
  revokeToken(id: string): Promise<void>;
  /** Lets an account's events be sent to an address. A second call by the same name keeps id, secret and place, and moves the address. */
  subscribe(options: {
    readonly account: string;
    readonly name: string;
    readonly kind: "app";
    readonly url: string;
  }): Promise<{ id: string; secret: string }>;
  /** Ends an account's other subscriptions of the kind: those of app hosts that are no more. */
  keepOnly(options: {
    readonly account: string;
    readonly kind: "app";
    readonly names: readonly string[];
  }): Promise<void>;
  /** -> how many committed events a subscription has not taken yet. */
  eventsToCome(options: { readonly account: string; readonly name: string }): Promise<number>;
}

/** Used in process: whoever holds it holds the database too. */
export function createAdminApi(pool: Pool, ports: Ports): AdminApi {
  const subscribers = createSubscriptions(pool, ports);
  const issued = createTokenAdmin({ store: apiTokenStore(pool), accounts: accountStore(pool), ports });
  return {
    ensureDemo: () => ensureDemo(pool),
    issueToken: async (request) => {
      const { id, token } = await issued.issue(request);
      return { id, token };
    },
    isValidToken: (token) => issued.isValid(token),
    renewToken: (token, to) => issued.renew(token, to),
    revokeToken: (id) => issued.revoke(id),
    subscribe: subscribers.ensure,
    keepOnly: subscribers.keepOnly,
    eventsToCome: subscribers.toCome,
  };
}
