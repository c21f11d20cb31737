import { existsSync, readFileSync } from "node:fs";
import type { Readable } from "node:stream";
import { sourceText } from "../environment/assets.ts";
import { bubblewrapLauncher, sandboxExecLauncher, unshareLauncher, perlLauncher } from "./boundary-launchers.ts";
import type { ResourceLimits, StartConfined, ProgramUser } from "./confined-program.ts";
import { plainLauncher } from "./shell-launcher.ts";
import { architectureOf } from "./system-calls.ts";

/** Isolation mechanisms. `none` provides at most a different user and the restrictions of Node's permission model. */
export type BoundaryName = "bubblewrap" | "namespaces" | "landlock" | "unshare" | "sandbox-exec" | "none";

/** Starts programs that run an app's code or read an app's files on this machine. */
export interface Boundary {
  readonly name: BoundaryName;
  /** Whether the operating system separates such a program from the host's files, processes and network. */
  readonly isStrong: boolean;
  /** Whether the program also runs as a different user than the host. */
  readonly isOtherUser: boolean;
  readonly start: StartConfined;
}

const SAME_USER_WARNING =
  "The app's code runs as the same user as Parley: no other user can be used, or no other user can read Node.";
const NO_BOUNDARY_WARNING =
  "The operating system does not isolate the app's code on this machine: run only a folder of your own whose code you trust. " +
  "Packages of other authors are refused, unless you set PARLEY_TRUST_APPS=1. " +
  "Install bubblewrap, or allow unprivileged user namespaces; 'npx parley doctor' checks again.";

/** Weaknesses of a boundary, as log lines. */
export const boundaryShortcomings = ({ isStrong, isOtherUser }: Boundary): string[] => {
  const isRoot = process.getuid?.() === 0;
  return [...(isStrong ? [] : [NO_BOUNDARY_WARNING]), ...(isRoot && !isOtherUser ? [SAME_USER_WARNING] : [])];
};

/** The user of confined programs if the host runs as root. */
export const nobodyUser = (): ProgramUser => {
  const NOBODY = 65_534;
  const users = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8") : "";
  const [, , uid = NOBODY, gid = NOBODY] = /^nobody:.*$/m.exec(users)?.[0].split(":") ?? [];
  return { uid: Number(uid), gid: Number(gid) };
};

const PROBE_LIMITS: ResourceLimits = { dataMb: 4096, openFiles: 256, processorSeconds: 60, fileMb: 1 };
const CONFINED_STATUS = 7;
const OPEN_STATUS = 8;
/** Tries to read a file that exists on every system and that no app may read. */
const PROBE = `try { require("fs").readFileSync("/etc/passwd"); process.exit(${OPEN_STATUS}) } catch { process.exit(${CONFINED_STATUS}) }`;

/** -> whether the launcher starts Node and, if it claims isolation, whether the isolation is effective */
const isEffective = ({ start, isStrong }: Boundary): Promise<boolean> =>
  new Promise((resolve) => {
    const child = start({ args: ["-e", PROBE], limits: PROBE_LIMITS, isTool: true });
    child.once("error", () => resolve(false));
    child.once("exit", (status) => {
      child.stdio[3]?.destroy();
      resolve(status === CONFINED_STATUS || (!isStrong && status === OPEN_STATUS));
    });
    child.stdin?.on("error", () => undefined).end();
    for (const stream of [1, 2]) (child.stdio[stream] as Readable).resume();
  });

/** Boundaries that this system may support, strongest first. */
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

/** @errors Error if no process can be started */
async function find(names?: readonly BoundaryName[]): Promise<Boundary> {
  const all = candidates(await sourceText("sandbox/confine.pl"));
  for (const boundary of all)
    if ((names?.includes(boundary.name) ?? true) && (await isEffective(boundary))) return boundary;
  throw new Error("No process can be started for the app's code: /bin/sh or Node itself does not run here.");
}

let strongest: Promise<Boundary> | undefined;

/**
 * Finds the strongest boundary that works on this machine. The result is cached for the process.
 * @shape names: limits the search to these boundaries; the result is not cached
 * @errors Error if no launcher works
 */
export const findBoundary = (names?: readonly BoundaryName[]): Promise<Boundary> =>
  names ? find(names) : (strongest ??= find());
