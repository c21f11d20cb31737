import { readFile, writeFile, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface, type Interface } from "node:readline/promises";
import { styleText } from "node:util";
import { Option, type Command } from "commander";
import {
  applyFixes as fixedFiles,
  type Finding,
  type FixedFile,
  isRunnable,
  createProjectTools,
  validateProject,
} from "@parley/framework/authoring";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";
import { unifiedDiff } from "./diff.ts";
import { appFolder } from "../input/app-folder.ts";
import { validationText, FINDING_LINE } from "./report.ts";

const COLORS = { "-": "red", "+": "green", "@": "cyan" } as const;

const coloured = (line: string): string => {
  const color = Object.entries(COLORS).find(([sign]) => line.startsWith(sign))?.[1];
  return color ? styleText(color, printable(line)) : printable(line);
};

/** Asks questions, of which each is answered by a line of the standard input; the end of the input counts as no. */
interface Questions {
  readonly isConfirmed: (question: string) => Promise<boolean>;
  readonly close: () => void;
}

/** Reads the standard input once: a reader for each question would lose the lines that had arrived after the first answer. */
function createQuestions(): Questions {
  let input: Interface | undefined;
  let lines: AsyncIterator<string> | undefined;
  return {
    isConfirmed: async (question) => {
      input ??= createInterface({ input: process.stdin, output: process.stdout });
      lines ??= input[Symbol.asyncIterator]();
      input.setPrompt(question);
      input.prompt();
      const line = await lines.next();
      return line.done !== true && /^y(es)?$/i.test(line.value.trim());
    },
    close: () => input?.close(),
  };
}

/** @errors CommandFailure when the file has changed since it was shown, or can't be written */
async function write(folder: string, { file, before, after }: FixedFile): Promise<void> {
  const path = join(folder, file);
  if ((await readFile(path, "utf8").catch(() => undefined)) !== before)
    throw new CommandFailure(
      `${file} was changed in the meantime and was not written. Run 'npx parley validate' again.`,
    );
  try {
    await writeFile(path, after);
  } catch (error) {
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      `${file} can't be written (${code}). Make it writable, then run 'npx parley validate' again.`,
    );
  }
}

/**
 * Shows the changes that fix the findings, asks for confirmation and writes them.
 * @returns whether files were written
 */
async function applyFixesInteractively(
  folder: string,
  findings: readonly Finding[],
  isConfirmed: (question: string) => Promise<boolean>,
  print: (text: string) => void,
): Promise<boolean> {
  const files = await fixedFiles(folder, findings);
  if (files.length === 0) return false;
  for (const { file, before, after } of files) print(unifiedDiff(file, before, after).map(coloured).join("\n"));
  if (!(await isConfirmed("Write these changes? [y/N] "))) {
    print("\nNothing was written.\n");
    return false;
  }
  for (const file of files) await write(folder, file);
  print(`Fixed ${files.map(({ file }) => file).join(", ")}.\n`);
  return true;
}

const HELP = `
Checks manifest.json, config/, server/ and app/. Problems that keep the app from running are errors; likely mistakes are warnings. The
command needs no network, database or running instance. Exit status 1 on errors, else 0.

--fix corrects findings that have one obvious correction: misspelt names, attributes and types; true, false and numbers written as strings;
comments and trailing commas in JSON; entries that occur twice; hosts with https:// before them; paths with app/ before them. It shows
a diff and writes it after confirmation, or with --yes, until no correction is left. All other text is preserved.

Examples:
  npx parley validate                   the app in this folder
  npx parley validate apps/greeter
  npx parley validate --fix             shows corrections, asks, then writes them
  npx parley validate --json            prints {"findings":[{"code","level","file","line","column","message","help"}]}`;

/** Rounds of corrections. A file needs at most three: syntax, shape, content. */
const FIX_ROUNDS_MAX = 8;

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
      const questions = createQuestions();
      const isConfirmed = yes ? () => Promise.resolve(true) : questions.isConfirmed;
      try {
        // A corrected file can reveal further findings, such as those behind a syntax error.
        for (let round = 0; fix && round < FIX_ROUNDS_MAX; round += 1) {
          if (!(await applyFixesInteractively(await realpath(folder), findings, isConfirmed, print))) break;
          ({ findings } = await validateProject(folder, tools));
        }
      } finally {
        questions.close();
      }
      print(json ? asJson(findings) : validationText(findings, process.stdout.columns ?? FINDING_LINE));
      exit(isRunnable(findings) ? 0 : 1);
    });
