import { parseHostMap } from "@parley/framework";
import { CommandFailure } from "../environment/failure.ts";
import { Option, type Command } from "commander";
import { untilStopped } from "../start/until-stopped.ts";
import { addConsentOptions, consentsOfRun, type ConsentOptions } from "./consent-options.ts";
import { runJson, runText } from "./report.ts";
import { runApps } from "./run.ts";
import { environmentHelp } from "../output/environment-help.ts";

/** @errors CommandFailure for a value that is not `host=origin`, or whose origin is not on this machine */
export const hostMapsOf = (given: readonly string[]): ReadonlyMap<string, string> => {
  try {
    return new Map(given.map(parseHostMap));
  } catch (error) {
    if ((error as Error).name === "MapUnusable") throw new CommandFailure(`--map: ${(error as Error).message}`);
    throw error;
  }
};

const HELP = `
A package runs only where the operating system isolates its code, or with
PARLEY_TRUST_APPS=1.

An app that is not installed waits on its installation page. Changes of its files are live at once. At /web/test of the app's address,
events are raised and functions called by hand, in a browser. The key that --install gives an app
allows what its request templates call, and follows them as they are edited; where that can't be derived it allows everything, and the
log says why.

Examples:
  parley run                                  the app in this folder
  parley run ../one ../two                    two apps on one service
  parley run dist/greeter.zip                 a package, unpacked to .parley-packages beside it
  parley run --install                        installs it with its defaults
  parley run --iparams values.json            installs it with these values
  parley run --map api.example.com=http://localhost:4000
  parley run --allow-secure-iparams --allow-host api.example.com
  parley run --coverage                       counts what runs, in .parley/coverage.json of each app's folder
  parley run --ephemeral --still --json       for tests: nothing stays, all is the same each time

${environmentHelp("run")}`;

interface Options extends ConsentOptions {
  readonly install?: boolean;
  readonly iparams?: string;
  readonly map: readonly string[];
  readonly json?: boolean;
  readonly still?: boolean;
  readonly ephemeral?: boolean;
  readonly coverage?: boolean;
}

const appendValue = (value: string, before: readonly string[]): readonly string[] => [...before, value];

/** `parley run`: serves apps on a local instance until Ctrl-C or SIGTERM. */
export const addRun = (program: Command, exit: (status: number) => void) =>
  addConsentOptions(program.command("run"))
    .description("run the app in this folder, or those in the folders given, on a service of its own, until Ctrl-C")
    .argument("[dirs...]", "folders or packages of apps; this folder when absent")
    .option("--install", "install what isn't installed yet, with what has defaults")
    .option(
      "--iparams <file>",
      "install with the values of a JSON file (-: standard input); what it leaves out has its default",
    )
    .addOption(
      new Option(
        "--map <host=origin>",
        "let requests of the app to a host go to an address of this machine; repeatable",
      )
        .default([] as readonly string[], "none")
        .argParser(appendValue),
    )
    .option("--still", "the clock stands, and ids are the same in each run")
    .option("--ephemeral", "a data folder that is gone at the end")
    .option("--coverage", "count which code of server/ runs, for the report of 'parley pack'")
    .option("--json", "print one line of JSON when all is ready, and nothing else")
    .addHelpText("after", HELP)
    .action(async (dirs: readonly string[], options: Options) => {
      const { json = false, install = false, iparams, still = false, ephemeral = false, coverage = false } = options;
      if (iparams !== undefined && dirs.length > 1)
        throw new CommandFailure("--iparams has the values of one app: give one folder, or install on the pages.");
      const maps = hostMapsOf(options.map);
      const consents = consentsOfRun(options);
      const begun = untilStopped(
        (telling) =>
          runApps({
            dirs,
            install,
            iparams,
            maps,
            consents,
            isDeterministic: still,
            isEphemeral: ephemeral,
            isCoverageMeasured: coverage,
            json,
            ...telling,
          }),
        {
          json,
          announce: (running, seconds) => (json ? runJson(running) : runText(running, seconds)),
        },
      );
      await begun.catch((failure: Error) => {
        // With --json the findings are also printed as data.
        if (json && "findings" in failure) process.stdout.write(`${JSON.stringify({ findings: failure.findings })}\n`);
        throw failure;
      });
      exit(0);
    });
