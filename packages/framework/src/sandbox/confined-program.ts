import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { ChildProcess, IOType } from "node:child_process";

/** Bounds that the operating system keeps for each process of a program. */
export interface ResourceLimits {
  /** Memory that it may write to. @units mebibytes */
  readonly dataMb: number;
  readonly openFiles: number;
  /** @units seconds of processor time */
  readonly processorSeconds: number;
  /** Largest file that it may write. @units mebibytes */
  readonly fileMb: number;
}

/** From Node 24 on, V8 reserves this much address space for compiled code, which the system counts as data. @units mebibytes */
const CODE_RANGE_MB = Number(process.versions.node.split(".")[0]) >= 24 ? 512 : 0;

/** The limit on data as the system has to keep it. @units mebibytes */
export const dataLimitMb = ({ dataMb }: ResourceLimits): number => dataMb + CODE_RANGE_MB;

export interface ProgramUser {
  readonly uid: number;
  readonly gid: number;
}

/** A Node program that may do only what is listed here. */
export interface ConfinedProgram {
  /** Of Node: its options, the program and the program's arguments. */
  readonly args: readonly string[];
  /** Files and folders that exist for the program, at their own paths, beside Node and the libraries that Node needs. */
  readonly readOnly?: readonly string[];
  readonly writable?: readonly string[];
  /** Folders whose entries it may list. Where the boundary hides nothing by itself, that goes for the folders below them too: names, no contents. */
  readonly listed?: readonly string[];
  /** Whether it opens connections; otherwise it has no network. */
  readonly network?: boolean;
  /** A tool of ours on an app's files: it may start further programs. */
  readonly isTool?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits: ResourceLimits;
  /** Who runs it where the host is root; `nobody` when absent. */
  readonly user?: ProgramUser;
  /** Descriptors 0, 1, 2, and 4 on; 3 is the lifeline. */
  readonly stdio?: readonly IOType[];
}

/** Starts a confined program. It ends when its lifeline (descriptor 3) closes, which it does when the host ends, in whatever way. */
export type StartConfined = (program: ConfinedProgram) => ChildProcess;

/** What the shell and the launcher end with when they had to kill the program. */
export const KILLED_STATUS = 128 + 9;

/** How long a launcher may take to kill. @units milliseconds */
const KILL_TIMEOUT_MS = 2_000;

/** Ends a confined program, or what is left of one that has ended by itself. */
export const endProgram = (child: ChildProcess): void => {
  child.stdio[3]?.destroy();
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const { pid } = child;
  const timer = setTimeout(() => process.kill(-pid, "SIGKILL"), KILL_TIMEOUT_MS);
  child.once("exit", () => clearTimeout(timer));
};

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
export const rootUser = (): ProgramUser | undefined => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === 0 && gid !== undefined ? { uid, gid } : undefined;
};
