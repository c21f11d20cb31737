import type { Command } from "commander";
import { addConsentOptions, consentsOfRun, type ConsentOptions } from "../run/consent-options.ts";
import { runTests } from "./run-tests.ts";

const HELP = `
The app's own "test" script of package.json runs where there is one; else Jest runs test/**/*.test.{js,ts}.
A test asks for its world:

  import { world } from "@parley/framework/testing";
  const w = await world({ iparams: { greeting: "Hello" } });

Examples:
  parley test
  parley test ../other-app
  parley test -- -t "greets"      what follows -- is for the test runner
  parley test --json              {"status":0,"tests":{"total":3,"passed":3,"failed":0}}`;

interface Options extends ConsentOptions {
  readonly json?: boolean;
  readonly logs?: boolean;
  readonly coverage?: boolean;
}

/** `parley test`: runs an app's tests against a temporary service. */
export const addTest = (program: Command, exit: (status: number) => void) =>
  addConsentOptions(program.command("test"))
    .description("run the app's tests with a service of their own, of which nothing stays")
    .argument("[dir]", "folder of the app; this one when absent")
    .argument("[args...]", "for the test runner, after --")
    .option("--logs", "show what the app's handlers log")
    .option("--coverage", "count which code of server/ runs in the app's process, for the report of 'parley pack'")
    .option("--json", "print one line of JSON at the end; what the tests print goes to standard error")
    .addHelpText("after", HELP)
    .action(async (dir: string | undefined, args: readonly string[], options: Options, command: Command) => {
      const { json = false, logs, coverage = false } = options;
      // In 'parley test -- -t x' no folder is given: commander counts the arguments after -- as positional ones.
      const isDir = dir !== undefined && !command.parent?.args.includes("--") && !dir.startsWith("-");
      const log = logs ? (line: string) => void process.stderr.write(`${line}\n`) : () => undefined;
      const more = isDir || dir === undefined ? args : [dir, ...args];
      const run = await runTests({
        dir: isDir ? dir : ".",
        extraArgs: more,
        consents: consentsOfRun(options),
        coverage,
        json,
        log,
      });
      if (json) process.stdout.write(`${JSON.stringify(run)}\n`);
      exit(run.status);
    });
