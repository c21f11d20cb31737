import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { ChildProcess, IOType } from "node:child_process";
import { realpathSync } from "node:fs";

interface Report {
  readonly sharedObjects: readonly string[];
}

/** The parts of `process.config` that name files of Node. */
interface BuildSettings {
  readonly target_defaults?: { readonly defines?: readonly unknown[] };
}

/** Parts of Node in JavaScript that a distribution such as Debian keeps in files of their own, which Node reads at its start. */
export const externalBuiltins = ({ target_defaults }: BuildSettings): readonly string[] =>
  (target_defaults?.defines ?? []).flatMap((define) => {
    const [, path] = /^NODE_SHARED_BUILTIN_\w+_PATH=(\/.+)$/.exec(String(define)) ?? [];
    return path === undefined ? [] : [path];
  });

let cachedFiles: readonly string[] | undefined;

/**
 * Files that Node needs to run: its executable, parts of it that are files of their own, and the shared libraries that this process, which is
 * the same Node, has loaded from the system.
 */
export function nodeFiles(): readonly string[] {
  cachedFiles ??= [
    process.execPath,
    ...externalBuiltins(process.config),
    // Libraries of add-ons belong to this process only.
    ...(process.report.getReport() as unknown as Report).sharedObjects.filter(
      (path) => path.startsWith("/") && path !== process.execPath && !/\/node_modules\/|\.node$/.test(path),
    ),
  ];
  return cachedFiles;
}

/** The real path behind symbolic links, which would resolve differently in another root. */
export const realPathOf = (path: string): string => realpathSync(path);

/** Limits that the operating system enforces for each process of a program. */
export interface ResourceLimits {
  /** Writable memory. @units mebibytes */
  readonly dataMb: number;
  readonly openFiles: number;
  /** @units seconds of processor time */
  readonly processorSeconds: number;
  /** Maximum size of a written file. @units mebibytes */
  readonly fileMb: number;
}

/** Since Node 24, V8 reserves this much address space for compiled code, which the operating system counts as data. @units mebibytes */
const CODE_RANGE_MB = Number(process.versions.node.split(".")[0]) >= 24 ? 512 : 0;

/** The data limit to set in the operating system. @units mebibytes */
export const dataLimitMb = ({ dataMb }: ResourceLimits): number => dataMb + CODE_RANGE_MB;

/** The host name that a program sees in namespaces of its own. */
export const CONFINED_HOST_NAME = "app";

export interface ProgramUser {
  readonly uid: number;
  readonly gid: number;
}

/** A Node program and everything that it may access. */
export interface ConfinedProgram {
  /** Arguments of Node: options, the program's path and its arguments. */
  readonly args: readonly string[];
  /** Files and folders that are visible at their own paths, besides Node and its libraries. */
  readonly readOnly?: readonly string[];
  readonly writable?: readonly string[];
  /** Folders whose entries may be listed. A boundary that hides no files, such as Landlock, extends this to subfolders, for names only. */
  readonly listed?: readonly string[];
  /** Whether the program may open connections; otherwise it has no network. */
  readonly hasNetwork?: boolean;
  /** A tool of Parley that processes an app's files. It may start further programs. */
  readonly isTool?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits: ResourceLimits;
  /** User of the program if the host runs as root. Default: `nobody`. */
  readonly user?: ProgramUser;
  /** Descriptors 0, 1, 2 and 4 upwards. Descriptor 3 is the lifeline. */
  readonly stdio?: readonly IOType[];
}

/** Starts a confined program. The program ends when its lifeline (descriptor 3) closes, which happens whenever and however the host ends. */
export type StartConfined = (program: ConfinedProgram) => ChildProcess;

/** Exit status of the shell and the launcher after they killed the program. */
export const KILLED_STATUS = 128 + 9;

/** Time limit for a launcher to end the program. @units milliseconds */
const KILL_TIMEOUT_MS = 2_000;

/** Ends a confined program, or the remaining processes of one that has exited. */
export const endProgram = (child: ChildProcess): void => {
  child.stdio[3]?.destroy();
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const { pid } = child;
  const timer = setTimeout(() => process.kill(-pid, "SIGKILL"), KILL_TIMEOUT_MS);
  child.once("exit", () => clearTimeout(timer));
};

const TRAVERSE_MODE = 0o001;
const READ_AND_TRAVERSE_MODE = 0o005;

/** Whether any user can read the folder by its path. */
export async function isOpenToAll(folder: string): Promise<boolean> {
  for (let at = folder, required = READ_AND_TRAVERSE_MODE; ; at = dirname(at), required = TRAVERSE_MODE) {
    const { mode } = await stat(at);
    if ((mode & required) !== required) return false;
    if (at === dirname(at)) return true;
  }
}

/** The host's user if it is root, which can start programs as other users; otherwise undefined. */
export const rootUser = (): ProgramUser | undefined => {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === 0 && gid !== undefined ? { uid, gid } : undefined;
};
