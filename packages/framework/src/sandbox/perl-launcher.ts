import { spawn } from "node:child_process";
import { confinePlan, type PlanKind } from "./confine-plan.ts";
import type { StartConfined, User } from "./confined-program.ts";
import { spawnOptions, type LauncherOptions } from "./shell-launcher.ts";
import type { Architecture } from "./system-calls.ts";

/** Namespaces or Landlock, by system calls of Perl. @shape runAs: whom a launcher that is root becomes at last */
export const perlLauncher =
  (
    kind: PlanKind,
    script: string,
    architecture: Architecture,
    { spawnAs, runAs }: LauncherOptions & { readonly runAs?: User | undefined } = {},
  ): StartConfined =>
  (program) => {
    const plan = confinePlan(kind, program, { architecture, user: runAs && (program.user ?? runAs) });
    const options = spawnOptions(program, spawnAs && (program.user ?? spawnAs));
    return spawn("perl", ["-e", script, plan, process.execPath, ...program.args], options);
  };
