import type { Command } from "commander";
import { SECURE_IPARAMS, type Consent } from "@parley/contract";
import { table, printable } from "../output/table.ts";
import { connectApp } from "../control/connect.ts";

const HELP = `
By default an app's code reads no secure parameter and calls no host by itself: it sends the requests that it declares, and secure parameters stand in their
headers. Consents change that for one app. With ${SECURE_IPARAMS}, its code can put secure parameters anywhere into every request that the app may send; with
both kinds, it can send them to the hosts that you name as well.

What you name is ${SECURE_IPARAMS}, or a host: api.example.com, api.example.com:8443, *.example.com. A decision takes effect at the app's
next call. Uninstalling the app removes its consents.

Examples:
  parley consent list
  parley consent give ${SECURE_IPARAMS}           its code reads secure parameters in args.iparams
  parley consent give api.example.com           its code calls this host by https, fetch, axios …
  parley consent revoke api.example.com
  parley consent list --app ../greeter --json`;

interface Options {
  readonly app?: string;
  readonly json?: boolean;
}

/** State of a consent in a few words. */
export const consentState = ({ state, time, isOfRun }: Consent): string => {
  if (isOfRun) return "given, by an option of this start";
  if (state === "declared") return "not given; named by the app";
  if (state === "asked") return `not given; the app called it and was refused at ${time ?? ""}`;
  return `${state} at ${time ?? ""}`;
};

const isGiven = (consents: readonly Consent[], isHost: boolean): boolean =>
  consents.some(({ subject, state }) => state === "given" && (subject !== SECURE_IPARAMS) === isHost);

const print = (consents: readonly Consent[], { json }: Options): void => {
  if (json) return void process.stdout.write(`${JSON.stringify(consents)}\n`);
  if (consents.length === 0)
    return void process.stdout.write(
      "Nothing was asked for and nothing given: the app's code reads no secure parameter and calls no host.\n",
    );
  const rows = consents.map((consent) => [printable(consent.subject), consentState(consent)]);
  const both = isGiven(consents, true) && isGiven(consents, false);
  const lines = [
    table(["what", "state"], rows),
    ...(both ? ["The app's code can send secure parameters to these hosts."] : []),
  ];
  return void process.stdout.write(`${lines.join("\n")}\n`);
};

const decide = (given: boolean) => async (subject: string, options: Options) => {
  const { calls } = await connectApp(options.app);
  print(await calls.decide({ subject, isGiven: given }), options);
};

/** `parley consent`: grants and revokes permissions of an app's code. */
export const addConsent = (program: Command) => {
  const consent = program
    .command("consent")
    .description("let the code of an app read secure parameters or call hosts, and take that back")
    .addHelpText("after", HELP);
  const withOptions = (command: Command) =>
    command
      .option("--app <dir>", "folder or name of the app; that of this folder when absent")
      .option("--json", "print one line of JSON");
  withOptions(consent.command("list").description("what the app was given, asked for and was refused")).action(
    async (options: Options) => print(await (await connectApp(options.app)).calls.consents(), options),
  );
  withOptions(
    consent.command("give").description("agree to something").argument("<what>", `${SECURE_IPARAMS}, or a host`),
  ).action(decide(true));
  withOptions(
    consent.command("revoke").description("take a consent back").argument("<what>", "as list shows it"),
  ).action(decide(false));
};
