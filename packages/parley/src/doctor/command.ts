import { styleText } from "node:util";
import type { Command } from "commander";
import { parleyConfig, type ParleyConfig } from "../environment/config.ts";
import { printable } from "../output/table.ts";
import { fail, ok, resultOf, type DoctorCheck, type CheckLevel, type CheckResult } from "./check.ts";
import { dataFolder, disk, ignored, instance, postgres } from "./data.ts";
import { clock, handlerProcess, nodeVersion, testBrowser, port } from "./machine.ts";

const HELP = `
A warning can be lived with; a failure (exit status 1) keeps Parley from
running. Nothing is changed on the machine.

Examples:
  parley doctor
  parley doctor --json              prints {"checks":[{"name","level","message","next"}]}`;

/** Settings from the environment; defaults and the problem when they are invalid. */
const settings = (): { readonly config: ParleyConfig; readonly problem?: string } => {
  try {
    return { config: parleyConfig() };
  } catch (error) {
    return { config: parleyConfig({}), problem: (error as Error).message };
  }
};

const checks = (): DoctorCheck[] => {
  const { config, problem } = settings();
  const { servicePort, appPort } = config;
  return [
    { name: "Node", look: nodeVersion },
    {
      name: "Settings",
      look: async () => (problem ? fail(problem, "Mend that variable of the environment.") : ok("They can be read.")),
    },
    { name: "PostgreSQL", look: () => postgres(config) },
    { name: "Data folder", look: () => dataFolder(config) },
    { name: "Disk", look: () => disk(config) },
    { name: "Git", look: () => ignored(config) },
    { name: "Instance", look: () => instance(config) },
    { name: "Service port", look: () => port(config, servicePort, "PARLEY_SERVICE_PORT") },
    { name: "App port", look: () => port(config, appPort, "PARLEY_APP_PORT") },
    { name: "App process", look: handlerProcess },
    { name: "Test browser", look: testBrowser },
    { name: "Clock", look: clock },
  ];
};

const SIGNS: Readonly<Record<CheckLevel, string>> = {
  ok: styleText("green", "✔"),
  warn: styleText("yellow", "⚠"),
  fail: styleText("red", "✖"),
};
const NAME_WIDTH = 13;

const lineOf = ({ name, level, message, next }: CheckResult): string =>
  [
    `${SIGNS[level]} ${name.padEnd(NAME_WIDTH)} ${printable(message)}`,
    ...(next ? [styleText("dim", `  ${" ".repeat(NAME_WIDTH)} ${next}`)] : []),
  ].join("\n");

const summaryOf = (results: readonly CheckResult[]): string => {
  const [fails, warnings] = (["fail", "warn"] as const).map((wanted) =>
    results.filter(({ level }) => level === wanted),
  );
  if (fails?.length) return `Parley can't run here yet: mend ${fails.map(({ name }) => name).join(", ")}.`;
  return warnings?.length ? "Parley runs here; see the warnings above." : "All is well.";
};

/** `parley doctor`: checks the machine's requirements. */
export const addDoctor = (program: Command, exit: (status: number) => void) =>
  program
    .command("doctor")
    .description("look for what keeps Parley from running on this machine")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async ({ json }: { readonly json?: boolean }) => {
      const results = await Promise.all(checks().map(resultOf));
      const text = json
        ? JSON.stringify({ checks: results })
        : [...results.map(lineOf), "", summaryOf(results)].join("\n");
      process.stdout.write(`${text}\n`);
      exit(results.some(({ level }) => level === "fail") ? 1 : 0);
    });
