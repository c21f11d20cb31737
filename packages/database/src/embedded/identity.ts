import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chownSync, lchownSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { programPath } from "../environment/config.ts";

/** As whom the server runs: it refuses to be root. */
export interface Identity {
  /** Put before each command. */
  readonly prefix: readonly string[];
  /** User and group of the processes; those of Node unless given. */
  readonly user?: Owner | undefined;
  /** Whom the files have to belong to, where Node may decide that. */
  readonly owner?: Owner | undefined;
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

const ROOT: Owner = { uid: 0, gid: 0 };

/** The server runs as whoever runs Node. */
export const ordinary: Identity = { prefix: [] };

const asUser = (user: Owner): Identity => ({ prefix: [], user, owner: user });

/** Root outside, another user inside: such a process reaches what only root may enter. */
const inNamespace = ({ uid }: Owner): Identity => ({
  prefix: ["unshare", "--user", `--map-user=${uid}`],
  owner: ROOT,
});

/** The identities open to root, best first; `files` is a folder of an earlier start, whose owner is kept where possible. */
export function identitiesOfRoot(files: string): Identity[] {
  const system = systemUser("postgres") ?? systemUser("nobody");
  const found = statSync(files, { throwIfNoEntry: false });
  const earlier = found && found.uid !== 0 ? [asUser({ uid: found.uid, gid: found.gid })] : [];
  if (!system) return earlier;
  const [user, namespace] = [asUser(system), inNamespace(system)];
  // Files of root were written in a namespace: to give them away and back would only take time.
  return found?.uid === 0 ? [namespace, user] : [...earlier, user, namespace];
}

/** A user of the system that serves no person: initdb wants one with a line in passwd. */
function systemUser(name: string): Owner | undefined {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith(`${name}:`));
  const [uid, gid] = (line?.split(":") ?? []).slice(2, 4).map(Number);
  // Some systems write the highest numbers as negative ones.
  return uid === undefined || gid === undefined ? undefined : { uid: uid >>> 0, gid: gid >>> 0 };
}

/** The whole environment of the server's processes: a stray LC_ALL, TZ or PG… would change the cluster. */
const environment = () => ({ LC_ALL: "C", TZ: "UTC", PATH: programPath() });

/** Starts a program as this identity, detached so that Ctrl-C in the terminal doesn't reach it. */
export function spawnAs(
  identity: Identity,
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

/** True when this identity can execute the program and write into the folder: tried, not reckoned. */
export function canUse(identity: Identity, program: string, folder: string): boolean {
  const test = ["/bin/sh", "-c", 'test -x "$1" && cd "$2" && test -w .', "sh", program, folder];
  const [first = "", ...rest] = [...identity.prefix, ...test];
  return spawnSync(first, rest, { cwd: "/", env: environment(), stdio: "ignore", ...identity.user }).status === 0;
}

/** Gives a folder and all in it to the identity's owner. @errors EPERM where Node may not */
export function giveTo({ owner }: Identity, folder: string): void {
  if (!owner || statSync(folder).uid === owner.uid) return;
  for (const entry of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    lchownSync(join(folder, entry), owner.uid, owner.gid);
  // Last, so that an interrupted change is seen and done again.
  chownSync(folder, owner.uid, owner.gid);
}
