import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import { isRunnable, createProjectTools, validateProject, type Finding } from "@parley/framework/authoring";
import { appFolder } from "../input/pack-target.ts";
import { applyFixesInteractively } from "./fix.ts";
import { validationText, FINDING_LINE } from "./report.ts";

const HELP = `
Checks manifest.json, config/, server/ and app/. Problems that keep the app from running are errors; likely mistakes are warnings. The
command needs no network, database or running instance. Exit status 1 on errors, else 0.

--fix corrects findings that have one obvious correction: misspelt attributes and types of parameters, true and false written as
strings, options that are not strings or occur twice. It shows a diff and writes it after confirmation, or with --yes.

Examples:
  parley validate                   the app in this folder
  parley validate apps/greeter
  parley validate --fix             shows corrections, asks, then writes them
  parley validate --json            prints {"findings":[{"code","level","file","line","column","message","help"}]}`;

interface Options {
  readonly json?: boolean;
  readonly fix?: boolean;
  readonly yes?: boolean;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const asJson = (findings: readonly Finding[]): string =>
  JSON.stringify({
    findings: findings.map(({ code, level, file, line, column, message, help }) => ({
      code,
      level,
      file,
      line,
      column,
      message,
      help,
    })),
  });

/** `parley validate`: checks an app for errors. */
export const addValidate = (program: Command, exit: (status: number) => void) =>
  program
    .command("validate")
    .description("check an app for errors and likely mistakes")
    .argument("[dir]", "folder of the app", ".")
    .option("--fix", "correct findings that have one obvious correction, after confirmation")
    .option("--yes", "with --fix: write without confirmation")
    .addOption(new Option("--json", "print one line of JSON").conflicts("fix"))
    .addHelpText("after", HELP)
    .action(async (dir: string, { json, fix = false, yes = false }: Options) => {
      // With --json a folder without an app is reported as a finding.
      const folder = json ? resolve(dir) : await appFolder(resolve(dir));
      const tools = await createProjectTools();
      let { findings } = await validateProject(folder, tools);
      if (fix && (await applyFixesInteractively(await realpath(folder), findings, yes, print)))
        ({ findings } = await validateProject(folder, tools));
      print(json ? asJson(findings) : validationText(findings, process.stdout.columns ?? FINDING_LINE));
      exit(isRunnable(findings) ? 0 : 1);
    });
