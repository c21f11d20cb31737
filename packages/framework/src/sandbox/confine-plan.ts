import { dataLimitMb, type ConfinedProgram, type ResourceLimits, type ProgramUser } from "./confined-program.ts";
import { sourceOf } from "./node-files.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import { visiblePaths } from "./shell-launcher.ts";
import type { Architecture, SystemCall } from "./system-calls.ts";

const MEBIBYTE = 1024 * 1024;
/** `CLONE_NEWNS`, `CLONE_NEWUTS`, `CLONE_NEWIPC` and `CLONE_NEWPID`. */
const NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x20000000;
const NETWORK_NAMESPACE = 0x40000000;
const USER_NAMESPACE = 0x10000000;
/** Where the new root is made: every system has it, and nobody needs to write there. */
const ROOT_PLACE = "/tmp";

/** Landlock answers "permission denied" for a file that OpenSSL ends the program over; a missing one it goes without. */
const UNREADABLE_CONFIGURATION = { OPENSSL_CONF: "/nonexistent" };

/** How the boundary is made. @shape userNamespace: as an ordinary user; namespaces: as root; landlock: without namespaces */
export type PlanKind = "userNamespace" | "namespaces" | "landlock";

/** Numbers of `RLIMIT_…`. */
const limitSteps = (limits: ResourceLimits): string[][] =>
  [
    [0, limits.processorSeconds],
    [1, limits.fileMb * MEBIBYTE],
    [2, dataLimitMb(limits) * MEBIBYTE],
    [4, 0],
    [7, limits.openFiles],
  ].map(([resource, value]) => ["limit", String(resource), String(value)]);

const SYSTEM_CALLS: readonly SystemCall[] = [
  "landlock_add_rule",
  "landlock_create_ruleset",
  "landlock_restrict_self",
  "mount",
  "mount_setattr",
  "pivot_root",
  "prctl",
  "prlimit64",
  "setgroups",
  "setresgid",
  "setresuid",
  "umount2",
  "unshare",
];

/** The numbers that the steps need, as the fields of the step `syscalls`. */
export const planSystemCalls = ({ numberOf }: Architecture): string[] =>
  SYSTEM_CALLS.map((call) => `${call}=${numberOf(call)}`);

type Paths = ReturnType<typeof visiblePaths>;

const namespaceSteps = (kind: PlanKind, { network = false }: ConfinedProgram, paths: Paths): string[][] => {
  const flags = NAMESPACES + (network ? 0 : NETWORK_NAMESPACE) + (kind === "userNamespace" ? USER_NAMESPACE : 0);
  return [
    ["unshare", String(flags)],
    ...(kind === "userNamespace" ? [["identity"]] : []),
    ["watch"],
    ["root", ROOT_PLACE],
    ...paths.map(([mode, path]) => ["bind", mode, sourceOf(path), path]),
    ["seal"],
  ];
};
const landlockSteps = ({ network = false, listed = [] }: ConfinedProgram, paths: Paths): string[][] => [
  ["landlock", ...(network ? ["network"] : [])],
  ...listed.map((path) => ["allow", "list", path]),
  ...paths.map(([mode, path]) => ["allow", mode, path]),
  ["enforce"],
];

const FIELD_END = "\x1f";
const STEP_END = "\x1e";

/** The steps in the form that confine.pl reads. @errors Error for a path that a plan can't name */
export const planText = (steps: readonly (readonly string[])[]): string => {
  if (steps.some((fields) => fields.some((field) => /\p{Cc}/u.test(field))))
    throw new Error("A path holds a control character: rename the folder.");
  return steps.map((fields) => fields.join(FIELD_END)).join(STEP_END);
};

/**
 * What confine.pl does before it becomes Node.
 * @shape user: whom the program runs as, where the launcher is root and its own user is another
 */
export function confinePlan(
  kind: PlanKind,
  program: ConfinedProgram,
  { architecture, user }: { architecture: Architecture; user?: ProgramUser | undefined },
): string {
  const { environment = {}, network = false, isTool = false, limits } = program;
  const paths = visiblePaths(program);
  const isOwnRoot = kind !== "landlock";
  return planText([
    ["syscalls", ...planSystemCalls(architecture)],
    ...(isOwnRoot ? namespaceSteps(kind, program, paths) : [["watch"]]),
    ...limitSteps(limits),
    ["unprivileged"],
    ...(user ? [["user", String(user.uid), String(user.gid)]] : []),
    ["mortal"],
    ["nonewprivs"],
    ...(isOwnRoot ? [] : landlockSteps(program, paths)),
    ["chdir", "/"],
    [
      "environment",
      ...Object.entries({ ...(isOwnRoot ? {} : UNREADABLE_CONFIGURATION), ...environment }).map(
        ([name, value]) => `${name}=${value}`,
      ),
    ],
    ["seccomp", seccompFilter(architecture, { network, isTool }).toString("hex")],
  ]);
}
