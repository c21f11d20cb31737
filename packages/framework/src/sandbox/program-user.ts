import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { User } from "./confined-program.ts";

const ENTER = 0o001;
const READ_AND_ENTER = 0o005;

/** Whether a user who owns nothing here can read the folder by its path. */
export async function isOpenToAll(folder: string): Promise<boolean> {
  for (let at = folder, wanted = READ_AND_ENTER; ; at = dirname(at), wanted = ENTER) {
    const { mode } = await stat(at);
    if ((mode & wanted) !== wanted) return false;
    if (at === dirname(at)) return true;
  }
}

/** The host's own user, where that is root and so may choose; undefined elsewhere. */
export const rootUser = (): User | undefined => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === 0 && gid !== undefined ? { uid, gid } : undefined;
};
