import type { Command } from "commander";
import { parleyConfig, type ParleyConfig } from "../environment/config.ts";
import { serviceConfig } from "@parley/service/config";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";
import { fail, findingLines, ok, type CheckFinding, type NamedFinding } from "../output/finding.ts";
import { productionChecks, type DoctorCheck } from "./production/checks.ts";
import {
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

--production checks what real users need: durability, limits and clock of
PostgreSQL, permissions of files, encryption, mail, isolation, keys of the
demo. Run it on each machine, as the user and with the environment of
'npx parley serve'.

Examples:
  npx parley doctor
  npx parley doctor --production --processes 6
  npx parley doctor --json              prints {"checks":[{"name","level","message","next"}]}`;

/** Timeout of one check. @units milliseconds */
const CHECK_TIMEOUT_MS = 20_000;

/** @errors Error after the timeout */
async function withTimeout<T>(work: T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${CHECK_TIMEOUT_MS / 1000} s`)), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a check. A check that throws is reported as a failure. */
async function runCheck({ name, run }: DoctorCheck): Promise<NamedFinding> {
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
const readSettings = (): Settings => {
  try {
    // Those of the service are read by the processes that start it.
    serviceConfig();
    return { config: parleyConfig() };
  } catch (error) {
    return { config: parleyConfig({}), problem: (error as Error).message };
  }
};

interface Settings {
  readonly config: ParleyConfig;
  readonly problem?: string;
}

const checkSettings = ({ problem }: Settings): CheckFinding =>
  problem === undefined
    ? ok("The environment variables are valid.")
    : fail(problem, "Correct this environment variable.");

/** Settings that are not valid leave nothing else to check. */
const checksForProduction = (processes: number): DoctorCheck[] => {
  const settings = readSettings();
  const first: DoctorCheck[] = [
    { name: "Node", run: checkNodeVersion },
    { name: "Settings", run: () => checkSettings(settings) },
  ];
  if (settings.problem !== undefined) return first;
  const { config } = settings;
  const disk = { name: "Disk", run: () => checkDisk(config) };
  return [
    ...first,
    disk,
    { name: "Clock", run: checkClock },
    ...productionChecks(config, { processes, findIsolation: checkHandlerProcess, tryObjects: checkObjects }),
  ];
};

const checks = (): DoctorCheck[] => {
  const settings = readSettings();
  const { config } = settings;
  const { servicePort, appPort } = config;
  return [
    { name: "Node", run: checkNodeVersion },
    { name: "Settings", run: () => checkSettings(settings) },
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

/** Processes of one machine, as `deploy/systemd` starts them: two of the service and two of the platform. */
const PROCESSES = 4;
const PROCESSES_MAX = 10_000;

/** @errors CommandFailure */
const processCount = (text: string | undefined): number => {
  const count = text === undefined ? PROCESSES : /^[1-9]\d*$/.test(text) ? Number(text) : NaN;
  if (count <= PROCESSES_MAX) return count;
  throw new CommandFailure(
    `--processes takes a whole number from 1 to ${PROCESSES_MAX}, not '${printable(text ?? "")}'.`,
  );
};

const productionSummaryOf = (results: readonly NamedFinding[]): string => {
  const fails = results.filter(({ level }) => level === "fail");
  return fails.length > 0
    ? `Not ready for production: fix ${fails.map(({ name }) => name).join(", ")}.`
    : "Ready for production; see the warnings above.";
};

const summaryOf = (results: readonly NamedFinding[]): string => {
  const [fails, warnings] = (["fail", "warn"] as const).map((level) =>
    results.filter((result) => result.level === level),
  );
  if (fails?.length) return `Parley can't run here yet: fix ${fails.map(({ name }) => name).join(", ")}.`;
  return warnings?.length ? "Parley can run here; see the warnings above." : "All checks passed.";
};

interface DoctorOptions {
  readonly production?: boolean;
  readonly processes?: string;
  readonly json?: boolean;
}

/** `parley doctor`: checks the machine's requirements. */
export const addDoctor = (program: Command, exit: (status: number) => void) =>
  program
    .command("doctor")
    .description("check this machine for problems that keep Parley from running")
    .option("--production", "check whether this installation is ready for real users")
    .option("--processes <n>", "with --production: processes of all machines, for the connections that they need")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async ({ json, production, processes }: DoctorOptions) => {
      if (processes !== undefined && !production) throw new CommandFailure("--processes belongs to --production.");
      const list = production ? checksForProduction(processCount(processes)) : checks();
      const results = await Promise.all(list.map(runCheck));
      const summary = production ? productionSummaryOf(results) : summaryOf(results);
      const text = json ? JSON.stringify({ checks: results }) : [...findingLines(results), "", summary].join("\n");
      process.stdout.write(`${text}\n`);
      exit(results.some(({ level }) => level === "fail") ? 1 : 0);
    });
