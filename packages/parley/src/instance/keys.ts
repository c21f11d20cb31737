import type { Permission } from "@parley/contract";
import type { AdminApi } from "@parley/service";
import { realPorts } from "@parley/service/ports";
import { readSecret, writeSecret } from "./data-folder.ts";

/** Names of the files in the data folder. */
export const API_KEY = "api-key";
export const APP_KEY = "app-key";
export const ADMIN_KEY = "admin-key";

const ADMIN_KEY_SHAPE = /^parley_admin_[\w-]{43}$/;

/** The key of the addresses below /admin: that of the last start, or a fresh one where none that is whole is kept. */
export async function keptAdminKey(folder: string): Promise<string> {
  const kept = await readSecret(folder, ADMIN_KEY);
  if (kept !== undefined && ADMIN_KEY_SHAPE.test(kept)) return kept;
  const key = `parley_admin_${realPorts.random(32).toString("base64url")}`;
  await writeSecret(folder, ADMIN_KEY, key);
  return key;
}

/** The key of the last start while it is valid, else a new one: the database only has its hash. */
export async function keptKey(
  admin: AdminApi,
  folder: string,
  file: string,
  wanted: { account: string; name: string },
): Promise<string> {
  const kept = await readSecret(folder, file);
  if (kept && (await admin.isValidToken(kept))) return kept;
  const { token } = await admin.issueToken(wanted);
  await writeSecret(folder, file, token);
  return token;
}

/** Where the key of an app is kept: that of the first app under one name, whichever app it is. */
export const appKeyFile = (index: number, app: string): string =>
  index === 0 ? APP_KEY : `${APP_KEY}-${encodeURIComponent(app)}`;

/**
 * The key that an app is installed with: it may do what is wanted, and no more. The text of a kept key stays when the wanted permissions
 * change, so that an installation which has it goes on with it; a new key is made where none is kept, or where it was revoked.
 */
export async function keptAppKey(
  admin: AdminApi,
  folder: string,
  file: string,
  wanted: { account: string; name: string; permissions: readonly Permission[] },
): Promise<string> {
  const kept = await readSecret(folder, file);
  if (kept && (await admin.renewToken(kept, wanted))) return kept;
  const { token } = await admin.issueToken(wanted);
  await writeSecret(folder, file, token);
  return token;
}
