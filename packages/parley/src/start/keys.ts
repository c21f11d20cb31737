import type { Permission } from "@parley/contract";
import type { Admin } from "@parley/service";
import { readSecret, writeSecret } from "./data-folder.ts";

/** Names of the files in the data folder. */
export const API_KEY = "api-key";
export const APP_KEY = "app-key";

/** What Concierge may do: what its request templates need, no more. */
export const APP_PERMISSIONS: readonly Permission[] = [
  "account:read",
  "channel:read",
  "group:read",
  "conversation:read",
  "conversation:update",
  "message:read",
  "message:create",
];

/** The key of the last start while it is valid, else a new one: the database only has its hash. */
export async function keptKey(
  admin: Admin,
  folder: string,
  file: string,
  wanted: { account: string; name: string; permissions?: readonly Permission[] },
): Promise<string> {
  const kept = await readSecret(folder, file);
  if (kept && (await admin.isValidToken(kept))) return kept;
  const { token } = await admin.issueToken(wanted);
  await writeSecret(folder, file, token);
  return token;
}
