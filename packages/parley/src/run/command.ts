import { consentHost, type RunConsents } from "@parley/framework";
import { CommandFailure } from "../environment/failure.ts";
import { Option, type Command } from "commander";
import { untilStopped } from "../start/shutdown.ts";
import { hostMapsOf } from "./host-maps.ts";
import { runJson, runText } from "./report.ts";
import { runApps } from "./run.ts";
import { environmentHelp } from "../output/environment-help.ts";

/** Consents that are given by options. They apply to one run and are not stored. */
export interface ConsentOptions {
  readonly allowSecureIparams?: boolean;
  readonly allowHost: readonly string[];
}

const appendValue = (value: string, previous: readonly string[]): readonly string[] => [...previous, value];

export const addConsentOptions = (command: Command): Command =>
  command
    .option(
      "--allow-secure-iparams",
      "let handlers read secure parameters in args.iparams, for this run; an installed app needs an admin's consent",
    )
    .addOption(
      new Option("--allow-host <host>", "let the apps' code call a host directly, for this run; repeatable")
        .default([] as readonly string[], "none")
        .argParser(appendValue),
    );

/** @errors CommandFailure for a malformed host */
export const consentsOfRun = ({ allowSecureIparams = false, allowHost }: ConsentOptions): RunConsents => ({
  secureIparams: allowSecureIparams,
  hosts: allowHost.map((text) => {
    const host = consentHost(text);
    if (host !== undefined) return host;
    throw new CommandFailure(
      `--allow-host: '${text}' is not a host. Use a name such as api.example.com, api.example.com:8443 or *.example.com.`,
    );
  }),
});

const HELP = `
Open an app's installation page to install it, or pass --install. Edited files take effect at once. The link to sign in opens the
console, whose page of the app raises events and calls functions by hand. The API key that --install creates has the permissions that the app's request
templates need, also after edits; if they can't be derived, it has all permissions and the log gives the reason.

A package runs only if the operating system isolates its code, or with PARLEY_TRUST_APPS=1.

Examples:
  npx parley run                                  the app in this folder
  npx parley run ../one ../two                    two apps on one service
  npx parley run dist/greeter.zip                 a package, unpacked to .parley-packages next to it
  npx parley run --install                        installs the app with its default values
  npx parley run --iparams values.json            installs the app with these values
  npx parley run --map api.example.com=http://localhost:4000
  npx parley run --allow-secure-iparams --allow-host api.example.com
  npx parley run --coverage                       measures coverage, in .parley/coverage.json of each app's folder
  npx parley run --ephemeral --still --json       for tests: temporary data, reproducible ids and times

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

/** `parley run`: serves apps on a local instance until Ctrl-C or SIGTERM. */
export const addRun = (program: Command, exit: (status: number) => void) =>
  addConsentOptions(program.command("run"))
    .description("run the app in this folder, or several apps, on a local service, until Ctrl-C")
    .argument("[dirs...]", "folders or packages of apps (default: the current folder)")
    .option("--install", "install apps that aren't installed yet, with their default values")
    .option(
      "--iparams <file>",
      "install with the values of a JSON file (-: standard input), and defaults for the others",
    )
    .addOption(
      new Option("--map <host=origin>", "send the app's requests to a host to a local address instead; repeatable")
        .default([] as readonly string[], "none")
        .argParser(appendValue),
    )
    .option("--still", "freeze the clock and generate the same ids in each run")
    .option("--ephemeral", "use a temporary data folder")
    .option("--coverage", "measure the coverage of server/, for the report of 'npx parley pack'")
    .option("--json", "print one line of JSON when everything is ready, and nothing else")
    .addHelpText("after", HELP)
    .action(async (dirs: readonly string[], options: Options) => {
      const { json = false, install = false, iparams, still = false, ephemeral = false, coverage = false } = options;
      if (iparams !== undefined && dirs.length > 1)
        throw new CommandFailure(
          "--iparams takes the values of one app: name one folder, or use the installation pages.",
        );
      const maps = hostMapsOf(options.map);
      const consents = consentsOfRun(options);
      const running = untilStopped(
        (hooks) =>
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
            ...hooks,
          }),
        {
          json,
          announce: (running, seconds) => (json ? runJson(running) : runText(running, seconds)),
        },
      );
      await running.catch((failure: Error) => {
        // With --json the findings are also printed as data.
        if (json && "findings" in failure) process.stdout.write(`${JSON.stringify({ findings: failure.findings })}\n`);
        throw failure;
      });
      exit(0);
    });
