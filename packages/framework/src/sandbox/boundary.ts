import { existsSync, readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { sourceText } from "../environment/assets.ts";
import { bubblewrapLauncher, sandboxExecLauncher, unshareLauncher, perlLauncher } from "./boundary-launchers.ts";
import type { ResourceLimits, StartConfined, ProgramUser } from "./confined-program.ts";
import { plainLauncher } from "./shell-launcher.ts";
import { architectureOf } from "./system-calls.ts";

/** What the operating system keeps a program in. `none`: another user at most, and what Node itself refuses. */
export type BoundaryName = "bubblewrap" | "namespaces" | "landlock" | "unshare" | "sandbox-exec" | "none";

/** How programs that run an app's code, or read an app's files, are started on this machine. */
export interface Boundary {
  readonly name: BoundaryName;
  /** Whether the operating system keeps such a program from the files, processes and network of the host. */
  readonly isStrong: boolean;
  /** Whether it also runs as another user than the host. */
  readonly isOtherUser: boolean;
  readonly start: StartConfined;
}

const OWN_USER_LEFT =
  "warn: The app's code runs as the same user as Parley: no other user can be used, or none can read Node.";
const NO_BOUNDARY =
  "warn: The operating system does not isolate the app's code on this machine: run only apps whose code you trust. " +
  "Install bubblewrap, or allow unprivileged user namespaces; 'parley doctor' checks again.";

/** What a boundary lacks, as lines for the log. */
export const boundaryShortcomings = ({ isStrong, isOtherUser }: Boundary): string[] => {
  const isRoot = process.getuid?.() === 0;
  return [...(isStrong ? [] : [NO_BOUNDARY]), ...(isRoot && !isOtherUser ? [OWN_USER_LEFT] : [])];
};

/** Whom programs run as where the host is root. */
export const nobodyUser = (): ProgramUser => {
  const NOBODY = 65_534;
  const users = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
  const [, , uid = NOBODY, gid = NOBODY] = /^nobody:.*$/m.exec(users)?.[0].split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
};

const PROBE_LIMITS: ResourceLimits = { dataMb: 4096, openFiles: 256, processorSeconds: 60, fileMb: 1 };
const CONFINED = 7;
const OPEN = 8;
/** Reads a file that every system has and no app may see. */
const PROBE = `try { require("fs").readFileSync("/etc/passwd"); process.exit(${OPEN}) } catch { process.exit(${CONFINED}) }`;

/** -> whether a launcher starts Node, and where it claims a boundary, whether that holds */
const works = ({ start, isStrong }: Boundary): Promise<boolean> =>
  new Promise((resolve) => {
    const child = start({ args: ["-e", PROBE], limits: PROBE_LIMITS, isTool: true });
    child.once("error", () => resolve(false));
    child.once("exit", (status) => {
      child.stdio[3]?.destroy();
      resolve(status === CONFINED || (!isStrong && status === OPEN));
    });
    child.stdin?.on("error", () => undefined).end();
    for (const stream of [1, 2]) (child.stdio[stream] as Readable).resume();
  });

/** Boundaries of this system, the strongest first. */
function candidates(script: string): Boundary[] {
  const architecture = architectureOf(process.arch);
  const isRoot = process.getuid?.() === 0;
  const other = isRoot ? nobodyUser() : undefined;
  const strong = (name: BoundaryName, start: StartConfined): Boundary => ({
    name,
    isStrong: true,
    isOtherUser: isRoot,
    start,
  });
  const open = (user: ProgramUser | undefined): Boundary => ({
    name: "none",
    isStrong: false,
    isOtherUser: user !== undefined,
    start: plainLauncher({ spawnAs: user }),
  });
  const none = [...(other ? [open(other)] : []), open(undefined)];
  if (process.platform === "darwin")
    return [{ ...strong("sandbox-exec", sandboxExecLauncher()), isOtherUser: false }, ...none];
  if (process.platform !== "linux") return none;
  const byPerl = architecture
    ? {
        root: other ? [strong("namespaces", perlLauncher("namespaces", script, architecture, { runAs: other }))] : [],
        user: strong("namespaces", perlLauncher("userNamespace", script, architecture, { spawnAs: other })),
        landlock: strong("landlock", perlLauncher("landlock", script, architecture, { spawnAs: other })),
      }
    : undefined;
  return [
    strong("bubblewrap", bubblewrapLauncher(architecture, { spawnAs: other })),
    ...(byPerl ? [...byPerl.root, byPerl.user] : []),
    strong("unshare", unshareLauncher({ spawnAs: other })),
    ...(byPerl ? [byPerl.landlock] : []),
    ...none,
  ];
}

/** @errors Error when no process can be started at all */
async function find(names?: readonly BoundaryName[]): Promise<Boundary> {
  const all = candidates(await sourceText("sandbox/confine.pl"));
  for (const boundary of all) if ((names?.includes(boundary.name) ?? true) && (await works(boundary))) return boundary;
  throw new Error("No process can be started for the app's code: /bin/sh or Node itself does not run here.");
}

let found: Promise<Boundary> | undefined;

/**
 * Finds the strongest boundary of this machine by trying; a process looks once.
 * @shape names: only these are tried, and the result is not kept
 * @errors Error when none of them works
 */
export const findBoundary = (names?: readonly BoundaryName[]): Promise<Boundary> =>
  names ? find(names) : (found ??= find());
