import {
  ACCOUNT_NOT_FOUND,
  IDENTITY_PROVIDER_NAME,
  IDENTITY_PROVIDER_NOT_FOUND,
  IDENTITY_PROVIDERS_PER_ACCOUNT_MAX,
  INVALID_VALUE,
  refuse,
  type IdentityProvider,
  type identityProviders,
  type IdentityProviderSettings,
} from "@parley/contract";
import type { Db, Pool, Vault } from "@parley/database";
import type { Egress } from "@parley/egress";
import type { AccountStore } from "../../../messaging/accounts/store.ts";
import type { RecordAudit } from "../../audit/record.sql.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import type { RouteHandlers } from "../../../http/route-handlers.ts";
import { canonicalIssuer, checkIssuer } from "./issuer.ts";
import { clientSecretOwner } from "./provider-clients.ts";
import { providerStore, type ProviderRow } from "./store.ts";

/** Address that a provider sends browsers back to; undefined for a host at which nobody can sign in to the account. */
export type CallbackUrlOf = (
  host: string | undefined,
  provider: { readonly account: string; readonly name: string },
) => string | undefined;

interface ProviderAdministrationDeps {
  readonly pool: Pool;
  readonly accounts: Pick<AccountStore, "byName">;
  readonly ports: Pick<Ports, "now">;
  readonly vault: () => Promise<Vault>;
  readonly egress: Pick<Egress, "vet">;
  readonly recordAudit: RecordAudit;
  /** The address to be registered, on the public host, if it is configured. */
  readonly registeredCallbackOf: CallbackUrlOf;
}

const NAME = new RegExp(IDENTITY_PROVIDER_NAME);

/** @errors INVALID_VALUE */
const checkName = (name: string): void => {
  if (!NAME.test(name))
    refuse(
      INVALID_VALUE,
      "provider: a name has at most 63 lower-case letters, digits and hyphens, and begins and ends with a letter or a digit.",
    );
};

/** Handlers of the endpoints for an account's identity providers. */
export function providerAdminHandlers(deps: ProviderAdministrationDeps): RouteHandlers<typeof identityProviders> {
  const { pool, accounts, ports, vault, egress, recordAudit, registeredCallbackOf } = deps;

  const accountOf = async (name: string) => (await accounts.byName(name)) ?? refuse(ACCOUNT_NOT_FOUND);

  /** @errors INVALID_VALUE */
  const shown = (
    row: Pick<ProviderRow, "account" | "name" | "label" | "issuer" | "client_id" | "created_time">,
    host: string | undefined,
  ): IdentityProvider => ({
    name: row.name,
    label: row.label,
    issuer: row.issuer,
    client_id: row.client_id,
    callback_url:
      registeredCallbackOf(host, row) ??
      refuse(
        INVALID_VALUE,
        "The Host header is not an address at which agents of the account sign in: set PARLEY_PUBLIC_URL, or use such an address.",
      ),
    created_time: row.created_time.toISOString(),
  });

  /** Removes the links with agents once no provider of the account has the issuer. */
  const forgetUnusedIssuer = async (tx: Db, { account_id, account, issuer }: ProviderRow): Promise<void> => {
    const left = await providerStore(tx).list(account);
    const canonical = canonicalIssuer(issuer);
    if (!left.some((each) => canonicalIssuer(each.issuer) === canonical))
      await providerStore(tx).forgetSubjects(account_id, canonical);
  };

  /**
   * The secret to be stored. A stored one is kept only for the issuer and client that it was given for: otherwise it could be sent elsewhere.
   * @errors INVALID_VALUE
   */
  const sealedSecret = async (
    before: ProviderRow | undefined,
    next: Pick<ProviderRow, "account_id" | "name" | "issuer" | "client_id">,
    given: string | undefined,
  ): Promise<string | null> => {
    if (given !== undefined) return (await vault()).seal(clientSecretOwner(next), given);
    if (!before || before.client_secret === null) return null;
    if (clientSecretOwner(before) !== clientSecretOwner(next) || before.client_id !== next.client_id)
      refuse(
        INVALID_VALUE,
        "client_secret: give it again, since the issuer or the client changes. For a public client, remove the provider first.",
      );
    return before.client_secret;
  };

  /** Names of the members that a change concerns. The secret counts as changed when it was given. */
  const changedMembers = (before: ProviderRow | undefined, body: IdentityProviderSettings): string[] => [
    ...(["label", "issuer", "client_id"] as const).filter((member) => before?.[member] !== body[member]),
    ...(body.client_secret === undefined ? [] : ["client_secret"]),
  ];

  return {
    async listIdentityProviders({ params, request }) {
      const { name } = await accountOf(params.account);
      const rows = await providerStore(pool).list(name);
      const host = request.header("host");
      const callback_url_template = registeredCallbackOf(host, { account: name, name: "{provider}" });
      return {
        identity_providers: rows.map((row) => shown(row, host)),
        ...(callback_url_template !== undefined && { callback_url_template }),
      };
    },
    async putIdentityProvider({ params, body, actor, request }) {
      const account = await accountOf(params.account);
      checkName(params.provider);
      await checkIssuer(egress, body.issuer);
      return pool.transaction(async (tx) => {
        const store = providerStore(tx);
        await store.lock(account.id);
        const present = await store.list(account.name);
        const before = present.find(({ name }) => name === params.provider);
        if (!before && present.length >= IDENTITY_PROVIDERS_PER_ACCOUNT_MAX)
          refuse(
            INVALID_VALUE,
            `An account can have at most ${IDENTITY_PROVIDERS_PER_ACCOUNT_MAX} identity providers.`,
          );
        const { label, issuer, client_id } = body;
        const next = { account_id: account.id, account: account.name, name: params.provider, label, issuer, client_id };
        const client_secret = await sealedSecret(before, next, body.client_secret);
        const created_time = before?.created_time ?? ports.now();
        await store.put({ ...next, client_secret, created_time });
        if (before) await forgetUnusedIssuer(tx, before);
        await recordAudit(tx, {
          actor,
          action: "identity_provider.put",
          account: { id: account.id, name: account.name },
          subject: next.name,
          details: { issuer, members: changedMembers(before, body) },
        });
        return shown({ ...next, created_time }, request.header("host"));
      });
    },
    async deleteIdentityProvider({ params, actor }) {
      const account = await accountOf(params.account);
      await pool.transaction(async (tx) => {
        const store = providerStore(tx);
        await store.lock(account.id);
        const found = (await store.find(account.name, params.provider)) ?? refuse(IDENTITY_PROVIDER_NOT_FOUND);
        await store.remove(account.id, found.name);
        await forgetUnusedIssuer(tx, found);
        await recordAudit(tx, {
          actor,
          action: "identity_provider.delete",
          account: { id: account.id, name: account.name },
          subject: found.name,
          details: { issuer: found.issuer },
        });
      });
      return { code: 200, status: "OK", message: "The identity provider was removed." };
    },
  };
}
