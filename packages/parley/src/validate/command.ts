import { resolve } from "node:path";
import type { Command } from "commander";
import { isRunnable, projectTools, validateProject, type Finding } from "@parley/framework/authoring";
import { appFolder } from "../pack/target.ts";
import { asText, LINE } from "./report.ts";

const HELP = `
Looks at manifest.json, config/, server/ and app/: what would keep the app from running is an error, what looks like a mistake a
warning. It needs no network, no database and no running instance. Exit status 1 on errors, else 0.

Examples:
  parley validate                   the app in this folder
  parley validate apps/greeter
  parley validate --json            prints {"findings":[{"code","level","file","line","column","message","help"}]}`;

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

/** `parley validate`: what is wrong with an app, before anyone installs it. */
export const addValidate = (program: Command, exit: (status: number) => void) =>
  program
    .command("validate")
    .description("say what is wrong with an app, or looks wrong")
    .argument("[dir]", "folder of the app", ".")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async (dir: string, { json }: { readonly json?: boolean }) => {
      // For scripts a folder without an app is a finding like others.
      const folder = json ? resolve(dir) : await appFolder(resolve(dir));
      const { findings } = await validateProject(folder, await projectTools());
      print(json ? asJson(findings) : asText(findings, process.stdout.columns ?? LINE));
      exit(isRunnable(findings) ? 0 : 1);
    });
