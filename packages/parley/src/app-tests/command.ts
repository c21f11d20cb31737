import type { Command } from "commander";
import { addConsentOptions, consentsOfRun, type ConsentOptions } from "../run/command.ts";
import { runTests } from "./run-tests.ts";
import { commandLog } from "../output/log.ts";

const HELP = `
Runs the "test" script of the app's package.json. Without a test script, Jest runs test/**/*.test.{js,ts}.
A test gets a temporary instance from the framework:

  import { world } from "@parley/framework/testing";
  const w = await world({ iparams: { greeting: "Hello" } });

Examples:
  npx parley test
  npx parley test ../other-app
  npx parley test -- -t "greets"      arguments after -- go to the test runner
  npx parley test --json              {"status":0,"tests":{"total":3,"passed":3,"failed":0}}`;

interface Options extends ConsentOptions {
  readonly json?: boolean;
  readonly logs?: boolean;
  readonly coverage?: boolean;
}

/** `parley test`: runs an app's tests against a temporary service. */
export const addTest = (program: Command, exit: (status: number) => void) =>
  addConsentOptions(program.command("test"))
    .description("run the app's tests against a temporary service")
    .argument("[dir]", "folder of the app (default: the current folder)")
    .argument("[args...]", "arguments for the test runner, after --")
    .option("--logs", "show what the app's handlers log")
    .option("--coverage", "measure the coverage of server/, for the report of 'npx parley pack'")
    .option("--json", "print one line of JSON at the end; the output of the tests goes to standard error")
    .addHelpText("after", HELP)
    .action(async (dir: string | undefined, args: readonly string[], options: Options, command: Command) => {
      const { json = false, logs, coverage = false } = options;
      // In 'parley test -- -t x' no folder is given: commander counts the arguments after -- as positional arguments.
      const isDir = dir !== undefined && !command.parent?.args.includes("--") && !dir.startsWith("-");
      const log = logs ? commandLog : () => undefined;
      const extraArgs = isDir || dir === undefined ? args : [dir, ...args];
      const run = await runTests({
        dir: isDir ? dir : ".",
        extraArgs,
        consents: consentsOfRun(options),
        coverage,
        json,
        log,
      });
      if (json) process.stdout.write(`${JSON.stringify(run)}\n`);
      exit(run.status);
    });
