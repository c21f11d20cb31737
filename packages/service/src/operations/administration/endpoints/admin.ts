import type { Permission } from "@parley/contract";
import type { IdentityAdministration } from "../../../identity/authentication/credential-administration.ts";
import type { Pool } from "@parley/database";
import { createRecordAudit, SYSTEM_ACTOR } from "../../../identity/audit/record.sql.ts";
import { ensureDemo } from "../../demo/demo.ts";
import { createSubscriptions } from "../../../events/dispatch/index.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { createTokenAdmin } from "../../../identity/authentication/tokens/manage-tokens.ts";

/** Administration of an installation, across all accounts. */
export interface AdminApi {
  /** Creates the accounts acme and solo. May be called again. */
  ensureDemo(): Promise<void>;
  /**
   * Issues a token. The reply is the only place with its text.
   * @errors Error for an unknown account
   */
  issueToken(options: {
    readonly account: string;
    readonly name: string;
    /** All permissions when absent. */
    readonly permissions?: readonly Permission[];
    /** 365 days when absent. */
    readonly lifetimeSeconds?: number;
  }): Promise<{ id: string; token: string }>;
  isValidToken(token: string): Promise<boolean>;
  /**
   * Sets the permissions of a token and extends its expiry to at least the default lifetime from now. Every process applies this within a
   * second.
   * -> false for a token that the account does not have, or that was revoked
   */
  renewToken(
    token: string,
    to: { readonly account: string; readonly permissions: readonly Permission[] },
  ): Promise<boolean>;
  /** Every process refuses the token within a second. */
  revokeToken(id: string): Promise<void>;
  /**
   * Creates a link that signs in the named agent, or else the account's first active account admin, once and within 15 minutes.
   * @shape origin: beginning of the link
   * @errors AGENT_NOT_FOUND
   */
  createSignInLink(options: {
    readonly account: string;
    readonly email?: string;
    readonly origin: string;
  }): Promise<{ readonly link: string; readonly email: string; readonly expires_time: string }>;
  /** Delivers an account's events to a URL. A second call with the same name changes the URL and keeps the id, the secret and the position. */
  subscribe(options: {
    readonly account: string;
    readonly name: string;
    readonly kind: "app";
    readonly url: string;
  }): Promise<{ id: string; secret: string }>;
  /** Removes the account's other subscriptions of this kind, which belong to app hosts that no longer exist. Those of installed apps stay. */
  keepOnly(options: {
    readonly account: string;
    readonly kind: "app";
    readonly names: readonly string[];
  }): Promise<void>;
  /** -> the number of committed events that a subscription has not yet received */
  pendingEvents(options: { readonly account: string; readonly name: string }): Promise<number>;
}

/** For use in the same process. It needs no key, since its caller has access to the database. */
export function createAdminApi(
  pool: Pool,
  ports: Ports,
  { createSignInLink }: Pick<IdentityAdministration, "createSignInLink">,
): AdminApi {
  const subscriptions = createSubscriptions(pool, ports);
  const tokenAdmin = createTokenAdmin({ pool, ports, recordAudit: createRecordAudit(ports) });
  return {
    ensureDemo: () => ensureDemo(pool),
    issueToken: async (request) => {
      const { id, token } = await tokenAdmin.issue(request, SYSTEM_ACTOR);
      return { id, token };
    },
    isValidToken: (token) => tokenAdmin.isValid(token),
    renewToken: (token, to) => tokenAdmin.renew(token, to, SYSTEM_ACTOR),
    revokeToken: (id) => tokenAdmin.revoke(id, SYSTEM_ACTOR),
    createSignInLink: (options) => createSignInLink({ ...options, actor: { type: "operator", address: "127.0.0.1" } }),
    subscribe: subscriptions.ensure,
    keepOnly: subscriptions.keepOnly,
    pendingEvents: subscriptions.pendingEvents,
  };
}
