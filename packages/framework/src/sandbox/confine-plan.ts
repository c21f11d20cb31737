import {
  CONFINED_HOST_NAME,
  dataLimitMb,
  type ConfinedProgram,
  type ResourceLimits,
  type ProgramUser,
  realPathOf,
} from "./confined-program.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import { visiblePaths } from "./shell-launcher.ts";
import type { Architecture, SystemCall } from "./system-calls.ts";

const MEBIBYTE = 1024 * 1024;
/** `CLONE_NEWNS`, `CLONE_NEWUTS`, `CLONE_NEWIPC` and `CLONE_NEWPID`. */
const NAMESPACES = 0x00020000 | 0x04000000 | 0x08000000 | 0x20000000;
const NETWORK_NAMESPACE = 0x40000000;
const USER_NAMESPACE = 0x10000000;
/** Mount point of the new root: a folder that exists on every system and that the program need not write to. */
const ROOT_MOUNT_POINT = "/tmp";

/** Landlock refuses access to OpenSSL's configuration with "permission denied", for which OpenSSL aborts. OpenSSL ignores a missing file. */
const UNREADABLE_CONFIGURATION = { OPENSSL_CONF: "/nonexistent" };

/** Isolation mechanism. @shape userNamespace: namespaces as an unprivileged user; namespaces: namespaces as root; landlock: no namespaces */
export type PlanKind = "userNamespace" | "namespaces" | "landlock";

/** The first column is the `RLIMIT_…` number. */
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
  "sethostname",
  "umount2",
  "unshare",
];

/** Fields of the step `syscalls`: the system call numbers that the other steps use. */
export const planSystemCalls = ({ numberOf }: Architecture): string[] =>
  SYSTEM_CALLS.map((call) => `${call}=${numberOf(call)}`);

type Paths = ReturnType<typeof visiblePaths>;

const namespaceSteps = (kind: PlanKind, { hasNetwork = false }: ConfinedProgram, paths: Paths): string[][] => {
  const flags = NAMESPACES + (hasNetwork ? 0 : NETWORK_NAMESPACE) + (kind === "userNamespace" ? USER_NAMESPACE : 0);
  return [
    ["unshare", String(flags)],
    ...(kind === "userNamespace" ? [["identity"]] : []),
    ["hostname", CONFINED_HOST_NAME],
    ["watch"],
    ["root", ROOT_MOUNT_POINT],
    ...paths.map(([mode, path]) => ["bind", mode, realPathOf(path), path]),
    ["seal"],
  ];
};
const landlockSteps = ({ hasNetwork = false, listed = [] }: ConfinedProgram, paths: Paths): string[][] => [
  ["landlock", ...(hasNetwork ? ["network"] : [])],
  ...listed.map((path) => ["allow", "list", path]),
  ...paths.map(([mode, path]) => ["allow", mode, path]),
  ["enforce"],
];

const FIELD_END = "\x1f";
const STEP_END = "\x1e";

/** Serialises the steps for confine.pl. @errors Error for a path that a plan cannot represent */
export const planText = (steps: readonly (readonly string[])[]): string => {
  if (steps.some((fields) => fields.some((field) => /\p{Cc}/u.test(field))))
    throw new Error("A path holds a control character: rename the folder.");
  return steps.map((fields) => fields.join(FIELD_END)).join(STEP_END);
};

/**
 * The steps that confine.pl executes before it starts Node.
 * @shape user: the user of the program, if the launcher runs as root and the program must not
 */
export function confinePlan(
  kind: PlanKind,
  program: ConfinedProgram,
  { architecture, user }: { architecture: Architecture; user?: ProgramUser | undefined },
): string {
  const { environment = {}, hasNetwork = false, isTool = false, limits } = program;
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
    ["seccomp", seccompFilter(architecture, { hasNetwork, isTool }).toString("hex")],
  ]);
}
