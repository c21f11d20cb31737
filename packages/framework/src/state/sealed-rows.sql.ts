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
  `SELECT id, secure::text AS secure, previous::text AS previous FROM parley_apps.installations
    WHERE secure <> '{}' OR previous IS NOT NULL ORDER BY id`,
);
const REPLACE_INSTALLATION = statement(
  "",
  `UPDATE parley_apps.installations SET secure = $4::jsonb, previous = $5::jsonb
    WHERE id = $1 AND secure = $2::jsonb AND previous IS NOT DISTINCT FROM $3::jsonb RETURNING id`,
);
const SETTINGS = statement(
  "",
  "SELECT project, account, key, sealed FROM parley_apps.app_settings ORDER BY project, account, key",
);
const REPLACE_SETTING = statement(
  "",
  `UPDATE parley_apps.app_settings SET sealed = $5
    WHERE project = $1 AND account = $2 AND key = $3 AND sealed = $4 RETURNING key`,
);
const TOKENS = statement(
  "",
  `SELECT project, account, integration, agent, sealed FROM parley_apps.oauth_tokens
    ORDER BY project, account, integration, agent`,
);
const REPLACE_TOKEN = statement(
  "",
  `UPDATE parley_apps.oauth_tokens SET sealed = $6
    WHERE project = $1 AND account = $2 AND integration = $3 AND agent = $4 AND sealed = $5 RETURNING project`,
);
const TARGETS = statement(
  "",
  "SELECT hash, project, account, sealed FROM parley_apps.targets WHERE sealed IS NOT NULL ORDER BY hash",
);
const REPLACE_TARGET = statement(
  "",
  "UPDATE parley_apps.targets SET sealed = $3 WHERE hash = $1 AND sealed = $2 RETURNING hash",
);
const DERIVED_TARGETS = statement(
  "",
  "SELECT hash, project, account, salt FROM parley_apps.targets WHERE sealed IS NULL ORDER BY hash",
);
const STORE_TARGET = statement(
  "",
  "UPDATE parley_apps.targets SET sealed = $2 WHERE hash = $1 AND sealed IS NULL RETURNING hash",
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
