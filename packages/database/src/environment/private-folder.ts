import type { Log } from "@parley/telemetry";
import { chmodSync, chownSync, readdirSync, statSync } from "node:fs";

const OWNER_ONLY = 0o700;
/** If the server runs as another user than Node (after a start as root), its group may traverse the folder, but not list it. */
const OWNER_AND_SERVER = 0o710;

/** Entries that identify a folder as a data folder. */
const DATA_FOLDER_ENTRIES = ["postgres", "secrets-key", "admin-key"];
const STICKY = 0o1000;

/** False for a folder with other purposes, such as /tmp or a project folder, that was configured as the data folder. */
const isDataFolder = (folder: string, mode: number): boolean => {
  if ((mode & STICKY) !== 0) return false;
  const names = readdirSync(folder);
  return names.length === 0 || names.some((name) => DATA_FOLDER_ENTRIES.includes(name));
};

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0");

/**
 * Restricts a data folder to its owner, independent of the umask: it contains keys and personal data. A folder that belongs to another
 * user, or that contains other files only, is not changed.
 * @shape isNew: this process has just created the folder
 */
export function makePrivate(folder: string, log: Log, isNew = false): void {
  const { mode, uid } = statSync(folder);
  const user = process.getuid?.();
  if (user === undefined || (user !== 0 && user !== uid)) return;
  if (isNew) return chmodSync(folder, OWNER_ONLY);
  const allowed = uid === 0 ? OWNER_AND_SERVER : OWNER_ONLY;
  if ((mode & 0o777 & ~allowed) === 0 || !isDataFolder(folder, mode)) return;
  chmodSync(folder, mode & allowed);
  log(`The data folder ${folder} was open to other users (mode ${octal(mode)}). Now only its owner may enter it`);
}

/** Allows a server that runs as another user to reach its own folder below a private folder. */
export function allowTraversal(folder: string, server: { readonly uid: number; readonly gid: number }): void {
  const { uid, mode } = statSync(folder);
  if (uid === server.uid || (mode & 0o001) !== 0) return;
  chownSync(folder, uid, server.gid);
  chmodSync(folder, OWNER_AND_SERVER);
}
