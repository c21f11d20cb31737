import { createHash } from "node:crypto";
import { statement, type Db, type SealedRow, type SealedRows, type Vault } from "@parley/database";
import {
  appSettingOwner,
  oauthTokenOwner,
  secureIparamOwner,
  targetOwner,
  targetPurpose,
  type OAuthTokenKey,
} from "./secret-owners.ts";

const INSTALLATIONS = statement(
  "",
  `select id, secure::text as secure, previous::text as previous from parley_apps.installations
    where secure <> '{}' or previous is not null order by id`,
);
const REPLACE_INSTALLATION = statement(
  "",
  `update parley_apps.installations set secure = $4::jsonb, previous = $5::jsonb
    where id = $1 and secure = $2::jsonb and previous is not distinct from $3::jsonb returning id`,
);
const SETTINGS = statement(
  "",
  "select project, account, key, sealed from parley_apps.app_settings order by project, account, key",
);
const REPLACE_SETTING = statement(
  "",
  `update parley_apps.app_settings set sealed = $5
    where project = $1 and account = $2 and key = $3 and sealed = $4 returning key`,
);
const TOKENS = statement(
  "",
  `select project, account, integration, agent, sealed from parley_apps.oauth_tokens
    order by project, account, integration, agent`,
);
const REPLACE_TOKEN = statement(
  "",
  `update parley_apps.oauth_tokens set sealed = $6
    where project = $1 and account = $2 and integration = $3 and agent = $4 and sealed = $5 returning project`,
);
const TARGETS = statement(
  "",
  "select hash, project, account, sealed from parley_apps.targets where sealed is not null order by hash",
);
const REPLACE_TARGET = statement(
  "",
  "update parley_apps.targets set sealed = $3 where hash = $1 and sealed = $2 returning hash",
);
const DERIVED_TARGETS = statement(
  "",
  "select hash, project, account, salt from parley_apps.targets where sealed is null order by hash",
);
const STORE_TARGET = statement(
  "",
  "update parley_apps.targets set sealed = $2 where hash = $1 and sealed is null returning hash",
);

interface InstallationSecretsRow {
  readonly id: string;
  /** JSON text. */
  readonly secure: string;
  readonly previous: string | null;
}
interface SettingRow {
  readonly project: string;
  readonly account: string;
  readonly key: string;
  readonly sealed: string;
}
interface SealedTargetRow {
  readonly hash: string;
  readonly project: string;
  readonly account: string;
  readonly sealed: string;
}
type DerivedTargetRow = Omit<SealedTargetRow, "sealed"> & { readonly salt: string };

type SealedByKey = Readonly<Record<string, string>>;

const sealedInstallation = (
  { id, secure, previous }: InstallationSecretsRow,
  isReplaced: (...change: Parameters<Db["one"]>) => Promise<boolean>,
): SealedRow => {
  const present = JSON.parse(secure) as SealedByKey;
  const before = previous === null ? undefined : (JSON.parse(previous) as { readonly secure?: SealedByKey });
  const entries = [...Object.entries(present), ...Object.entries(before?.secure ?? {})];
  const count = Object.keys(present).length;
  return {
    texts: entries.map(([key, sealed]) => ({ owner: secureIparamOwner(id, key), sealed })),
    replace(sealed) {
      const changed = entries.map(([key], index) => [key, sealed[index] ?? ""] as const);
      const nextSecure = JSON.stringify(Object.fromEntries(changed.slice(0, count)));
      const previousSecure: SealedByKey = Object.fromEntries(changed.slice(count));
      const nextPrevious =
        before === undefined ? null : JSON.stringify(before.secure ? { ...before, secure: previousSecure } : before);
      return isReplaced(REPLACE_INSTALLATION, [id, secure, previous, nextSecure, nextPrevious]);
    },
  };
};

/** Everything of apps that is stored sealed. The schema must be migrated. */
export const sealedAppRows = (db: Db): readonly SealedRows[] => {
  const isReplaced = async (...change: Parameters<Db["one"]>): Promise<boolean> =>
    (await db.one(...change)) !== undefined;
  return [
    {
      name: "secure parameters of installations",
      read: async () =>
        (await db.rows<InstallationSecretsRow>(INSTALLATIONS, [])).map((row) => sealedInstallation(row, isReplaced)),
    },
    {
      name: "app settings",
      read: async () =>
        (await db.rows<SettingRow>(SETTINGS, [])).map(({ project, account, key, sealed }) => ({
          texts: [{ owner: appSettingOwner(project, key), sealed }],
          replace: ([next]) => isReplaced(REPLACE_SETTING, [project, account, key, sealed, next]),
        })),
    },
    {
      name: "tokens of integrations",
      read: async () =>
        (await db.rows<OAuthTokenKey & { readonly sealed: string }>(TOKENS, [])).map((row) => ({
          texts: [{ owner: oauthTokenOwner(row), sealed: row.sealed }],
          replace: ([next]) =>
            isReplaced(REPLACE_TOKEN, [row.project, row.account, row.integration, row.agent, row.sealed, next]),
        })),
    },
    {
      name: "addresses that receive external events",
      read: async () =>
        (await db.rows<SealedTargetRow>(TARGETS, [])).map(({ hash, project, account, sealed }) => ({
          texts: [{ owner: targetOwner(project, account), sealed }],
          replace: ([next]) => isReplaced(REPLACE_TARGET, [hash, sealed, next]),
        })),
    },
  ];
};

/** The secret part of a URL that was derived from one of the keys; undefined if it was derived from another key. */
export const derivedTargetSecret = (
  vault: Pick<Vault, "deriveAll">,
  { hash, project, account, salt }: DerivedTargetRow,
): string | undefined =>
  vault
    .deriveAll(targetPurpose(project, account, salt))
    .map((secret) => secret.toString("base64url"))
    .find((secret) => createHash("sha256").update(secret).digest("hex") === hash);

/**
 * Stores the secret parts of URLs that were created before these were stored, so that the URLs stay the same when the key that they were
 * derived from is removed.
 */
export async function storeDerivedTargets(db: Db, vault: Vault): Promise<void> {
  for (const row of await db.rows<DerivedTargetRow>(DERIVED_TARGETS, [])) {
    const secret = derivedTargetSecret(vault, row);
    if (secret === undefined) continue;
    await db.one(STORE_TARGET, [row.hash, vault.seal(targetOwner(row.project, row.account), secret)]);
  }
}
