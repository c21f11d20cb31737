import { statement, type Db, type SealedRows } from "@parley/database";
import { secondFactorOwner } from "../../identity/authentication/credentials/second-factor.ts";
import { clientSecretOwner } from "../../identity/authentication/oidc/provider-clients.ts";
import { signingSecretOwner } from "../../identity/authentication/visitors/signing/key-material.ts";
import { webhookKeyOwner } from "../../events/webhooks/signing-keys.ts";
import { secretOwner } from "../../events/webhooks/secret.ts";

const WEBHOOKS = statement(
  "",
  "select id, secret, old_secrets from parley_service.subscriptions where kind = 'webhook' order by id",
);
const REPLACE_WEBHOOK = statement(
  "",
  `update parley_service.subscriptions set secret = $4, old_secrets = $5::text[]
    where id = $1 and secret = $2 and old_secrets = $3::text[] returning id`,
);
const WEBHOOK_KEYS = statement("", "select id, private_key from parley_service.webhook_keys order by id");
const REPLACE_WEBHOOK_KEY = statement(
  "",
  "update parley_service.webhook_keys set private_key = $3 where id = $1 and private_key = $2 returning id",
);
const PROVIDERS = statement(
  "",
  `select account_id, name, issuer, client_secret from parley_service.identity_providers
    where client_secret is not null order by account_id, name`,
);
// The secret is sealed for its issuer.
const REPLACE_PROVIDER = statement(
  "",
  `update parley_service.identity_providers set client_secret = $5
    where account_id = $1 and name = $2 and issuer = $3 and client_secret = $4 returning name`,
);
const SIGNING_KEYS = statement(
  "",
  "select id, secret from parley_service.messenger_signing_keys where secret is not null order by id",
);
const REPLACE_SIGNING_KEY = statement(
  "",
  "update parley_service.messenger_signing_keys set secret = $3 where id = $1 and secret = $2 returning id",
);
const FACTORS = statement(
  "",
  `select account_id, agent_id, totp_secret, totp_pending from parley_service.agent_credentials
    where totp_secret is not null or totp_pending is not null order by account_id, agent_id`,
);
const REPLACE_FACTOR = statement(
  "",
  `update parley_service.agent_credentials set totp_secret = $5, totp_pending = $6
    where account_id = $1 and agent_id = $2 and totp_secret is not distinct from $3 and totp_pending is not distinct from $4
   returning agent_id`,
);

interface WebhookRow {
  readonly id: string;
  readonly secret: string;
  readonly old_secrets: readonly string[];
}
interface WebhookKeyRow {
  readonly id: string;
  readonly private_key: string;
}
interface ProviderSecretRow {
  readonly account_id: number;
  readonly name: string;
  readonly issuer: string;
  readonly client_secret: string;
}
interface SigningKeyRow {
  readonly id: string;
  readonly secret: string;
}
interface FactorRow {
  readonly account_id: number;
  readonly agent_id: string;
  readonly totp_secret: string | null;
  readonly totp_pending: string | null;
}

/** Everything that the service stores sealed. The schema must be migrated. */
export const sealedServiceRows = (db: Db): readonly SealedRows[] => {
  const isReplaced = async (...change: Parameters<Db["one"]>): Promise<boolean> =>
    (await db.one(...change)) !== undefined;
  return [
    {
      name: "secrets of webhooks",
      read: async () =>
        (await db.rows<WebhookRow>(WEBHOOKS, [])).map(({ id, secret, old_secrets }) => ({
          texts: [secret, ...old_secrets].map((sealed) => ({ owner: secretOwner(id), sealed })),
          replace: ([next, ...old]) => isReplaced(REPLACE_WEBHOOK, [id, secret, old_secrets, next, old]),
        })),
    },
    {
      name: "keys that sign webhooks",
      read: async () =>
        (await db.rows<WebhookKeyRow>(WEBHOOK_KEYS, [])).map(({ id, private_key }) => ({
          texts: [{ owner: webhookKeyOwner(id), sealed: private_key }],
          replace: ([next]) => isReplaced(REPLACE_WEBHOOK_KEY, [id, private_key, next]),
        })),
    },
    {
      name: "client secrets of identity providers",
      read: async () =>
        (await db.rows<ProviderSecretRow>(PROVIDERS, [])).map((row) => ({
          texts: [{ owner: clientSecretOwner(row), sealed: row.client_secret }],
          replace: ([next]) =>
            isReplaced(REPLACE_PROVIDER, [row.account_id, row.name, row.issuer, row.client_secret, next]),
        })),
    },
    {
      name: "secrets of signed identities",
      read: async () =>
        (await db.rows<SigningKeyRow>(SIGNING_KEYS, [])).map(({ id, secret }) => ({
          texts: [{ owner: signingSecretOwner(id), sealed: secret }],
          replace: ([next]) => isReplaced(REPLACE_SIGNING_KEY, [id, secret, next]),
        })),
    },
    {
      name: "second factors of agents",
      read: async () =>
        (await db.rows<FactorRow>(FACTORS, [])).map((row) => {
          const { account_id, agent_id, totp_secret, totp_pending } = row;
          const owner = secondFactorOwner({ account_id, agent_id });
          return {
            texts: [totp_secret, totp_pending].flatMap((sealed) => (sealed === null ? [] : [{ owner, sealed }])),
            replace: (sealed) => {
              const rest = [...sealed];
              const next = [totp_secret, totp_pending].map((before) => (before === null ? null : rest.shift()));
              return isReplaced(REPLACE_FACTOR, [account_id, agent_id, totp_secret, totp_pending, ...next]);
            },
          };
        }),
    },
  ];
};
