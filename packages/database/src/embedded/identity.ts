import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, lchownSync, readdirSync, readFileSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { programPath } from "../environment/config.ts";

/** User that the server runs as; PostgreSQL refuses to run as root. */
export interface SystemUser {
  /** Arguments before each command. */
  readonly prefix: readonly string[];
  /** User and group of the processes. Default: those of Node. */
  readonly user?: Owner | undefined;
  /** Required owner of the files, if Node may change it. */
  readonly owner?: Owner | undefined;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const ROOT: Owner = { uid: 0, gid: 0 };

/** The server runs as the user of the Node process. */
export const currentUser: SystemUser = { prefix: [] };

const asUser = (user: Owner): SystemUser => ({ prefix: [], user, owner: user });

/** A user namespace: root outside, another user inside. Such a process can access files that only root can access. */
const inNamespace = ({ uid }: Owner): SystemUser => ({
  prefix: ["unshare", "--user", `--map-user=${uid}`],
  owner: ROOT,
});

/** Whether the user of this process has a name. A container may run with any id. */
export const hasName = (): boolean => {
  try {
    userInfo();
    return true;
  } catch {
    return false;
  }
};

/**
 * The server runs as the user of this process. initdb and the single-user mode look up the user's name: a user without one gets that of a
 * service account, in a user namespace.
 */
export const identityOfProcess = (): SystemUser => {
  const system = hasName() ? undefined : (systemUser("postgres") ?? systemUser("nobody"));
  return system ? { prefix: inNamespace(system).prefix } : currentUser;
};

/** Identities available to root in order of preference. `files` is a folder of an earlier start, whose owner is kept if possible. */
export function identitiesOfRoot(files: string): SystemUser[] {
  const system = systemUser("postgres") ?? systemUser("nobody");
  const found = statSync(files, { throwIfNoEntry: false });
  const earlier = found && found.uid !== 0 ? [asUser({ uid: found.uid, gid: found.gid })] : [];
  if (!system) return earlier;
  const [user, namespace] = [asUser(system), inNamespace(system)];
  // Files owned by root were written in a namespace; changing their owner back and forth would only take time.
  return found?.uid === 0 ? [namespace, user] : [...earlier, user, namespace];
}

/** Finds a service account in /etc/passwd, where initdb requires an entry. */
function systemUser(name: string): Owner | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${name}:`));
  const [uid, gid] = (line?.split(":") ?? []).slice(2, 4).map(Number);
  // Some systems write the highest ids as negative numbers.
  return uid === undefined || gid === undefined ? undefined : { uid: uid >>> 0, gid: gid >>> 0 };
}

/** Complete environment of the server's processes: inherited LC_ALL, TZ or PG… variables would change the cluster. */
const environment = () => ({ LC_ALL: "C", TZ: "UTC", PATH: programPath() });

/** Starts a program as this identity, detached, so that Ctrl-C in the terminal doesn't reach it. */
export function spawnAs(
  identity: SystemUser,
  command: readonly string[],
  cwd: string,
  stdout: "ignore" | "pipe" = "ignore",
): ChildProcess {
  const [program = "", ...rest] = [...identity.prefix, ...command];
  return spawn(program, rest, {
    cwd,
    env: environment(),
    detached: true,
    stdio: ["pipe", stdout, "pipe"],
    ...identity.user,
  });
}

/** Tests by a run whether this identity can execute the program and write into the folder. */
export function canUse(identity: SystemUser, program: string, folder: string): boolean {
  const test = ["/bin/sh", "-c", 'test -x "$1" && cd "$2" && test -w .', "sh", program, folder];
  const [first = "", ...rest] = [...identity.prefix, ...test];
  return spawnSync(first, rest, { cwd: "/", env: environment(), stdio: "ignore", ...identity.user }).status === 0;
}

/** Transfers a folder and its contents to the identity's owner. @errors EPERM if Node may not change the owner */
export function changeOwner({ owner }: SystemUser, folder: string): void {
  if (!owner || statSync(folder).uid === owner.uid) return;
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    lchownSync(join(folder, entry), owner.uid, owner.gid);
  // The folder comes last, so that an interrupted transfer is detected and repeated.
  chownSync(folder, owner.uid, owner.gid);
}
