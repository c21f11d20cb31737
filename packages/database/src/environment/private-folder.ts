import { chmodSync, chownSync, readdirSync, statSync } from "node:fs";

const OWNER_ONLY = 0o700;
/** Where the server runs as another user than Node (a start as root), its group may pass through, and read nothing. */
const OWNER_AND_SERVER = 0o710;

/** Files by which a folder is known as a data folder. */
const MARKS = ["postgres", "secrets-key", "admin-key"];
const STICKY = 0o1000;

/** Not a folder that serves others too, such as /tmp or somebody's project, and that was named as the data folder. */
const isDataFolder = (folder: string, mode: number): boolean => {
  if ((mode & STICKY) !== 0) return false;
  const names = readdirSync(folder);
  return names.length === 0 || names.some((name) => MARKS.includes(name));
};

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(4, "0");

/**
 * Leaves a data folder to its owner alone, whatever the umask was when it was made: keys and customers' data lie in it.
 * Another user's folder, which this process may not change, stays as it is, and so does one that holds other things only.
 * @shape isNew: this process has just made it
 */
export function makePrivate(folder: string, log: (line: string) => void, isNew = false): void {
  const { mode, uid } = statSync(folder);
  const user = process.getuid?.();
  if (user === undefined || (user !== 0 && user !== uid)) return;
  if (isNew) return chmodSync(folder, OWNER_ONLY);
  const allowed = uid === 0 ? OWNER_AND_SERVER : OWNER_ONLY;
  if ((mode & 0o777 & ~allowed) === 0 || !isDataFolder(folder, mode)) return;
  chmodSync(folder, mode & allowed);
  log(`The data folder ${folder} was open to other users (mode ${octal(mode)}). Now only its owner may enter it`);
}

/** Lets a server that runs as another user reach its own folder below a private one. */
export function letThrough(folder: string, server: { readonly uid: number; readonly gid: number }): void {
  const { uid, mode } = statSync(folder);
  if (uid === server.uid || (mode & 0o001) !== 0) return;
  chownSync(folder, uid, server.gid);
  chmodSync(folder, OWNER_AND_SERVER);
}
