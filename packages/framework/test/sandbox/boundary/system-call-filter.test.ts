import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { planSystemCalls, planText } from "../../../src/sandbox/confine-plan.ts";
import { seccompFilter } from "../../../src/sandbox/seccomp-filter.ts";
import { architectureOf, type SystemCall } from "../../../src/sandbox/system-calls.ts";

/** System calls of a program that broke every guard of its process: it changes a process of the same user, or itself. */

const architecture = architectureOf(process.arch);
const SCRIPT = readFileSync(fileURLToPath(new URL("../../../src/sandbox/confine.pl", import.meta.url)), "utf8");

/** Arguments in Perl; `$pid` is the process to change, and `$data` the packed structure. */
const CHANGES: readonly (readonly [call: SystemCall, given: string, data: string])[] = [
  ["prlimit64", "$pid, 7, $data, 0", "Q2, 64, 64"],
  ["sched_setaffinity", "$pid, 8, $data", "Q, 1"],
  ["sched_setscheduler", "$pid, 3, $data", "i, 0"],
  ["sched_setparam", "$pid, $data", "i, 0"],
  ["sched_setattr", "$pid, $data, 0", "LLQlLQ3, 48, 3, 0, 0, 0, 0, 0, 0"],
];
/** Calls by which a descriptor sends signals to a process, and those that no program needs. */
const REFUSED: readonly (readonly [call: SystemCall, given: string, data: string])[] = [
  ["fcntl", "0, 8, $pid", "l, 0"],
  ["fcntl", "0, 10, 9", "l, 0"],
  ["fcntl", "0, 15, $data", "ll, 1, $pid"],
  ["ioctl", "0, 0x8901, $data", "l, $pid"],
  ["ioctl", "0, 0x8902, $data", "l, $pid"],
  ["ioprio_set", "1, $pid, 24583", "l, 0"],
];
const CALLS = [...CHANGES, ...REFUSED];

/** -> the result of each call: 0 or an error number */
const resultsOf = (pid: number, isFiltered: boolean): readonly number[] => {
  const filter = seccompFilter(architecture!, { hasNetwork: false, isTool: false }).toString("hex");
  const plan = planText([
    ["syscalls", ...planSystemCalls(architecture!)],
    ["nonewprivs"],
    ...(isFiltered ? [["seccomp", filter]] : []),
  ]);
  const statements = CALLS.map(([call, given, packed]) => {
    const [format, ...values] = packed.split(", ");
    const number = architecture!.numberOf(call);
    return `{ my $data = pack("${format}", ${values.join(", ")}); print(syscall(${number}, ${given}) == -1 ? $! + 0 : 0, "\n"); }`;
  });
  const program = `my $pid = ${pid}; ${statements.join("\n")}`;
  // Standard input is a socket, as the channel of an app's process is.
  const { stdout, stderr } = spawnSync("perl", ["-e", SCRIPT, plan, "perl", "-e", program], { encoding: "utf8" });
  const results = stdout.trim().split("\n").map(Number);
  if (results.length !== CALLS.length) throw new Error(stderr);
  return results;
};

const EPERM = 1;
const isPossible = process.platform === "linux" && architecture !== undefined;

(isPossible ? describe : describe.skip)("the filter of system calls", () => {
  let victim: ChildProcess;
  let open: readonly number[];
  let filtered: readonly number[];
  let own: readonly number[];
  beforeAll(() => {
    victim = spawn("sleep", ["1000"], { stdio: "ignore" });
    const pid = victim.pid ?? 0;
    [open, filtered, own] = [resultsOf(pid, false), resultsOf(pid, true), resultsOf(0, true)];
  });
  afterAll(() => void victim.kill("SIGKILL"));

  test.each(CALLS.map(([call, given], index) => [call, given, index] as const))(
    "refuses %s(%s) for another process, which the call would change without it",
    (_call, _given, index) => {
      expect([open[index], filtered[index]]).toEqual([0, EPERM]);
    },
  );
  test.each(CHANGES.map(([call], index) => [call, index] as const))("permits %s for the caller", (_call, index) => {
    expect(own[index]).toBe(0);
  });
});
