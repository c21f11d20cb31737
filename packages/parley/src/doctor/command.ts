import { styleText } from "node:util";
import type { Command } from "commander";
import { parleyConfig, type ParleyConfig } from "../environment/config.ts";
import { printable } from "../output/table.ts";
import {
  fail,
  ok,
  type CheckFinding,
  type CheckLevel,
  checkDataFolder,
  checkDisk,
  checkGitIgnore,
  checkInstance,
  checkPostgres,
  checkClock,
  checkHandlerProcess,
  checkNodeVersion,
  checkTestBrowser,
  checkPort,
} from "./checks.ts";
import { checkObjects } from "./check-objects.ts";

const HELP = `
A failure (exit status 1) keeps Parley from running; a warning does not. The
command changes nothing on the machine. In a bucket of uploads it writes a
small object, reads it and removes it.

Examples:
  npx parley doctor
  npx parley doctor --json              prints {"checks":[{"name","level","message","next"}]}`;

interface DoctorCheck {
  readonly name: string;
  readonly run: () => Promise<CheckFinding>;
}

interface CheckResult extends CheckFinding {
  readonly name: string;
}

/** Timeout of one check. @units milliseconds */
const checkTimeoutMs = 20_000;

/** @errors Error after the timeout */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${checkTimeoutMs / 1000} s`)), checkTimeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a check. A check that throws is reported as a failure. */
async function runCheck({ name, run }: DoctorCheck): Promise<CheckResult> {
  try {
    return { name, ...(await withTimeout(run())) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      name,
      ...fail(`The check failed: ${reason}`, "Fix the problem, then run 'npx parley doctor' again."),
    };
  }
}

/** Settings from the environment; defaults and the problem when they are invalid. */
const readSettings = (): { readonly config: ParleyConfig; readonly problem?: string } => {
  try {
    return { config: parleyConfig() };
  } catch (error) {
    return { config: parleyConfig({}), problem: (error as Error).message };
  }
};

const checks = (): DoctorCheck[] => {
  const { config, problem } = readSettings();
  const { servicePort, appPort } = config;
  return [
    { name: "Node", run: checkNodeVersion },
    {
      name: "Settings",
      run: async () =>
        problem ? fail(problem, "Correct this environment variable.") : ok("The environment variables are valid."),
    },
    { name: "PostgreSQL", run: () => checkPostgres(config) },
    { name: "Data folder", run: () => checkDataFolder(config) },
    { name: "Disk", run: () => checkDisk(config) },
    { name: "Uploads", run: checkObjects },
    { name: "Git", run: () => checkGitIgnore(config) },
    { name: "Instance", run: () => checkInstance(config) },
    { name: "Service port", run: () => checkPort(config, servicePort, "PARLEY_SERVICE_PORT") },
    { name: "App port", run: () => checkPort(config, appPort, "PARLEY_APP_PORT") },
    { name: "App process", run: checkHandlerProcess },
    { name: "Test browser", run: checkTestBrowser },
    { name: "Clock", run: checkClock },
  ];
};

const LEVEL_MARKS: Readonly<Record<CheckLevel, string>> = {
  ok: styleText("green", "✔"),
  warn: styleText("yellow", "⚠"),
  fail: styleText("red", "✖"),
};
const NAME_WIDTH = 13;

const lineOf = ({ name, level, message, next }: CheckResult): string =>
  [
    `${LEVEL_MARKS[level]} ${name.padEnd(NAME_WIDTH)} ${printable(message)}`,
    ...(next ? [styleText("dim", `  ${" ".repeat(NAME_WIDTH)} ${next}`)] : []),
  ].join("\n");

const summaryOf = (results: readonly CheckResult[]): string => {
  const [fails, warnings] = (["fail", "warn"] as const).map((level) =>
    results.filter((result) => result.level === level),
  );
  if (fails?.length) return `Parley can't run here yet: fix ${fails.map(({ name }) => name).join(", ")}.`;
  return warnings?.length ? "Parley can run here; see the warnings above." : "All checks passed.";
};

/** `parley doctor`: checks the machine's requirements. */
export const addDoctor = (program: Command, exit: (status: number) => void) =>
  program
    .command("doctor")
    .description("check this machine for problems that keep Parley from running")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async ({ json }: { readonly json?: boolean }) => {
      const results = await Promise.all(checks().map(runCheck));
      const text = json
        ? JSON.stringify({ checks: results })
        : [...results.map(lineOf), "", summaryOf(results)].join("\n");
      process.stdout.write(`${text}\n`);
      exit(results.some(({ level }) => level === "fail") ? 1 : 0);
    });
