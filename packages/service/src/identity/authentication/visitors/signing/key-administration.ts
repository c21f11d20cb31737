import {
  ACCOUNT_NOT_FOUND,
  INVALID_VALUE,
  MESSENGER_LIMITS,
  refuse,
  SIGNING_KEY_NEEDED,
  SIGNING_KEY_NOT_FOUND,
  type signingKeys,
  type SigningKey,
} from "@parley/contract";
import type { Pool, Vault } from "@parley/database";
import type { Ports } from "../../../../base/environment/ports.ts";
import type { RouteHandlers } from "../../../../http/route-handlers.ts";
import { isUuid } from "../../../../http/uuid.ts";
import type { AccountStore } from "../../../../messaging/accounts/store.ts";
import type { RecordAudit } from "../../../audit/record.sql.ts";
import { visitorSessionStore } from "../store.ts";
import { newKeyMaterial } from "./key-material.ts";
import { signingKeyStore, type SigningKeyRow } from "./store.ts";

interface KeyAdministrationDeps {
  readonly pool: Pool;
  readonly accounts: Pick<AccountStore, "byName">;
  readonly ports: Ports;
  readonly vault: () => Promise<Vault>;
  readonly recordAudit: RecordAudit;
}

const shown = (row: SigningKeyRow): SigningKey => ({
  id: row.id,
  name: row.name,
  algorithm: row.algorithm,
  ...(row.public_key !== null && { public_key: row.public_key }),
  created_time: row.created_time.toISOString(),
  ...(row.created_by !== null && { created_by: row.created_by }),
  ...(row.last_used_time && { last_used_time: row.last_used_time.toISOString() }),
});

/** Handlers of the endpoints for an account's signing keys, and for whether it requires signed identities. */
export function signingKeyHandlers(deps: KeyAdministrationDeps): RouteHandlers<typeof signingKeys> {
  const { pool, accounts, ports, vault, recordAudit } = deps;

  const accountOf = async (name: string) => {
    const { id, name: account } = (await accounts.byName(name)) ?? refuse(ACCOUNT_NOT_FOUND);
    return { id, name: account };
  };

  return {
    async listSigningKeys({ params }) {
      const { id } = await accountOf(params.account);
      return { signing_keys: (await signingKeyStore(pool).list(id)).map(shown) };
    },
    async createSigningKey({ params, body, actor }) {
      const account = await accountOf(params.account);
      const id = ports.newId();
      const { name, algorithm } = body;
      const material = { vault: await vault(), random: ports.random };
      const { generated, ...kept } = newKeyMaterial(body, id, material);
      const created_by = actor.agent?.email ?? null;
      const key = { id, account_id: account.id, name, algorithm, ...kept, created_time: ports.now(), created_by };
      await pool.transaction(async (tx) => {
        const store = signingKeyStore(tx);
        await store.lock(account.id);
        if ((await store.list(account.id)).length >= MESSENGER_LIMITS.signing_keys)
          refuse(INVALID_VALUE, `An account can have at most ${MESSENGER_LIMITS.signing_keys} signing keys.`);
        await store.insert(key);
        const details = { name, algorithm };
        await recordAudit(tx, { actor, action: "signing_key.create", account, subject: id, details });
      });
      return {
        signing_key: shown({ ...key, last_used_time: null }),
        ...(generated !== undefined && { secret: generated }),
      };
    },
    async deleteSigningKey({ params, actor }) {
      const account = await accountOf(params.account);
      const id = isUuid(params.key_id) ? params.key_id.toLowerCase() : refuse(SIGNING_KEY_NOT_FOUND);
      await pool.transaction(async (tx) => {
        const store = signingKeyStore(tx);
        await store.lock(account.id);
        const details = (await store.remove(account.id, id)) ?? refuse(SIGNING_KEY_NOT_FOUND);
        const { is_required } = await store.rules(account.id);
        if (is_required && (await store.list(account.id)).length === 0) refuse(SIGNING_KEY_NEEDED);
        // A stolen key may have signed sessions of other people.
        await visitorSessionStore(tx).endOfKey(account.id, id);
        await recordAudit(tx, { actor, action: "signing_key.delete", account, subject: id, details: { ...details } });
      });
      return { code: 200, status: "OK", message: "The signing key was removed." };
    },
    async getSignedIdentityRules({ params }) {
      const { id } = await accountOf(params.account);
      return signingKeyStore(pool).rules(id);
    },
    async putSignedIdentityRules({ params, body, actor }) {
      const account = await accountOf(params.account);
      const { is_required, is_hidden_until_signed } = body;
      if (is_hidden_until_signed && !is_required)
        refuse(
          INVALID_VALUE,
          "is_hidden_until_signed: true needs is_required: true. Only a messenger that requires a signature can be hidden until it has one.",
        );
      await pool.transaction(async (tx) => {
        const store = signingKeyStore(tx);
        await store.lock(account.id);
        if (is_required && (await store.list(account.id)).length === 0) refuse(SIGNING_KEY_NEEDED);
        await store.putRules(account.id, body);
        const details = { is_required, is_hidden_until_signed };
        await recordAudit(tx, { actor, action: "signed_identity.change", account, details });
      });
      return { is_required, is_hidden_until_signed };
    },
  };
}
