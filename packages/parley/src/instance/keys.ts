import { join } from "node:path";
import type { Permission } from "@parley/contract";
import type { AdminApi } from "@parley/service";
import { realPorts } from "@parley/service/ports";
import { readSecret, writeSecret } from "./data-folder.ts";

/** Names of key files in the data folder. */
export const API_KEY = "api-key";
export const APP_KEY = "app-key";
export const ADMIN_KEY = "admin-key";

/** Path of the file with the API key of an instance. */
export const apiKeyFile = (dataFolder: string): string => join(dataFolder, API_KEY);

const ADMIN_KEY_SHAPE = /^parley_admin_[\w-]{43}$/;

/** Key of the routes under /admin: the stored key, or a new key when no key is stored or the stored key is malformed. */
export async function ensureAdminKey(folder: string): Promise<string> {
  const stored = await readSecret(folder, ADMIN_KEY);
  if (stored !== undefined && ADMIN_KEY_SHAPE.test(stored)) return stored;
  const key = `parley_admin_${realPorts.random(32).toString("base64url")}`;
  await writeSecret(folder, ADMIN_KEY, key);
  return key;
}

/** The stored key while it is valid, otherwise a new key. The database has only the hash of a key, so the file is its only copy. */
export async function ensureApiKey(
  admin: AdminApi,
  folder: string,
  file: string,
  options: { account: string; name: string },
): Promise<string> {
  const stored = await readSecret(folder, file);
  if (stored && (await admin.isValidToken(stored))) return stored;
  const { token } = await admin.issueToken(options);
  await writeSecret(folder, file, token);
  return token;
}

/** Name of an app's key file. The first app always uses the same name, whichever app it is. */
export const appKeyFile = (index: number, app: string): string =>
  index === 0 ? APP_KEY : `${APP_KEY}-${encodeURIComponent(app)}`;

/**
 * The key that an app is installed with; it has exactly the wanted permissions. When these change, the stored key is kept and its permissions are
 * updated, so that an existing installation stays valid. A new key is issued when no key is stored or when the stored key was revoked.
 */
export async function ensureAppKey(
  admin: AdminApi,
  folder: string,
  file: string,
  options: { account: string; name: string; permissions: readonly Permission[] },
): Promise<string> {
  const stored = await readSecret(folder, file);
  if (stored && (await admin.renewToken(stored, options))) return stored;
  const { token } = await admin.issueToken(options);
  await writeSecret(folder, file, token);
  return token;
}
