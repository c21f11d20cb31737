import { spawn } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { refusingFilter } from "../../../src/sandbox/seccomp-filter.ts";
import { planText, planSystemCalls } from "../../../src/sandbox/confine-plan.ts";
import { architectureOf, type SystemCall } from "../../../src/sandbox/system-calls.ts";
import type { BoundaryFindings } from "./runner.ts";

const framework = fileURLToPath(new URL("../../..", import.meta.url));
const SCRIPT = readFileSync(join(framework, "src/sandbox/confine.pl"), "utf8");
const architecture = architectureOf(process.arch);
/** The user `nobody`: PostgreSQL starts only as a user that the machine knows. */
const ORDINARY_USER = 65_534;

/** System calls that a default container rejects with "not permitted". */
const NAMESPACE_CALLS: readonly SystemCall[] = [
  ...(["unshare", "setns", "mount", "umount2", "pivot_root", "mount_setattr", "move_mount", "open_tree"] as const),
];
const LANDLOCK_CALLS: readonly SystemCall[] = [
  "landlock_create_ruleset",
  "landlock_add_rule",
  "landlock_restrict_self",
];

export interface Situation {
  readonly title: string;
  readonly user: "root" | "ordinary";
  readonly without: readonly SystemCall[];
}

/** Combinations of a user and a kind of machine. The kernel of the last two offers no isolation at all. */
export const SITUATIONS: readonly Situation[] = [
  { title: "root", user: "root", without: [] },
  { title: "an ordinary user with user namespaces", user: "ordinary", without: [] },
  { title: "an ordinary user without namespaces", user: "ordinary", without: NAMESPACE_CALLS },
  { title: "root without namespaces", user: "root", without: NAMESPACE_CALLS },
  {
    title: "an ordinary user without namespaces and Landlock",
    user: "ordinary",
    without: [...NAMESPACE_CALLS, ...LANDLOCK_CALLS],
  },
  { title: "root without namespaces and Landlock", user: "root", without: [...NAMESPACE_CALLS, ...LANDLOCK_CALLS] },
];

/** Tells whether this machine can reproduce a situation: only root can become another user. */
export const canReproduce = ({ user }: Situation): boolean => user === "ordinary" || process.getuid?.() === 0;

/** Returns the steps that Perl takes before it becomes Node, empty for the situation of this process. */
const planFor = ({ user, without }: Situation): string => {
  const steps = [
    ["syscalls", ...planSystemCalls(architecture!)],
    ...(user === "ordinary" && process.getuid?.() === 0
      ? [["user", String(ORDINARY_USER), String(ORDINARY_USER)]]
      : []),
    ...(without.length > 0
      ? [
          ["nonewprivs"],
          ["seccomp", refusingFilter(architecture!, { refused: without, blocksNamespaces: true }).toString("hex")],
        ]
      : []),
  ];
  return planText(steps);
};

/** Returns the program and the arguments that start a command in a situation. */
export const inSituation = (situation: Situation, command: readonly string[]): [program: string, args: string[]] => [
  "perl",
  ["-e", SCRIPT, planFor(situation), ...command],
];

/** Bundles the attempt runner in a folder that every user can read. */
export async function attemptRunner() {
  const base = await mkdtemp("/tmp/parley-boundary-");
  await chmod(base, 0o777);
  await mkdir(join(base, "src/sandbox"), { recursive: true });
  await copyFile(join(framework, "src/sandbox/confine.pl"), join(base, "src/sandbox/confine.pl"));
  const program = join(base, "dist/runner.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("./runner.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["parley-source"],
    outfile: program,
  });
  return {
    /** Runs all attempts in a situation, in the named boundary or in the one that Parley chooses there. */
    run: (situation: Situation, boundary = ""): Promise<BoundaryFindings> =>
      new Promise((resolve, reject) => {
        const [starter, args] = inSituation(situation, [process.execPath, program, base, boundary]);
        const child = spawn(starter, args, {
          cwd: "/",
          stdio: ["ignore", "pipe", "pipe"],
        });
        const output = { out: "", err: "" };
        child.stdout.on("data", (text: Buffer) => (output.out += String(text)));
        child.stderr.on("data", (text: Buffer) => (output.err += String(text)));
        child.once("error", reject);
        child.once("close", (status) => {
          const line = output.out.trim().split("\n").pop();
          if (status === 0 && line) resolve(JSON.parse(line) as BoundaryFindings);
          else reject(new Error(`The runner ended with ${status}: ${output.err}`));
        });
      }),
    close: () => rm(base, { recursive: true, force: true }),
  };
}
