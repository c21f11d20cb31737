import type { Command } from "commander";
import { SECURE_IPARAMS, type Consent } from "@parley/contract";
import { table, printable } from "../output/table.ts";
import { connectApp } from "../control/control-client.ts";

const HELP = `
By default an app's code can't read secure parameters and can't call hosts directly: it sends only the requests that it declares, and
secure parameters appear only in their headers. Consents extend this for one app. With ${SECURE_IPARAMS}, its code can put secure
parameters anywhere into any request that the app may send. With both kinds, it can also send them to the hosts that you name.

The subject of a consent is ${SECURE_IPARAMS}, or a host: api.example.com, api.example.com:8443, *.example.com. A change takes effect at
the app's next call. Uninstalling the app removes its consents.

Examples:
  npx parley consent list
  npx parley consent give ${SECURE_IPARAMS}           its code reads secure parameters in args.iparams
  npx parley consent give api.example.com           its code calls this host by https, fetch, axios …
  npx parley consent revoke api.example.com
  npx parley consent list --app ../greeter --json`;

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
      "No consents are given or requested: the app's code can't read secure parameters or call hosts.\n",
    );
  const rows = consents.map((consent) => [printable(consent.subject), consentState(consent)]);
  const both = isGiven(consents, true) && isGiven(consents, false);
  const lines = [
    table(["what", "state"], rows),
    ...(both ? ["The app's code can send secure parameters to these hosts."] : []),
  ];
  return void process.stdout.write(`${lines.join("\n")}\n`);
};

const decide = (isGiven: boolean) => async (subject: string, options: Options) => {
  const { calls } = await connectApp(options.app);
  print(await calls.decide({ subject, isGiven }), options);
};

/** `parley consent`: grants and revokes permissions of an app's code. */
export const addConsent = (program: Command) => {
  const consent = program
    .command("consent")
    .description("let an app's code read secure parameters or call hosts")
    .addHelpText("after", HELP);
  const withOptions = (command: Command) =>
    command
      .option("--app <dir>", "folder or name of the app (default: the app in this folder)")
      .option("--json", "print one line of JSON");
  withOptions(consent.command("list").description("list what the app declares, was given, and was refused")).action(
    async (options: Options) => print(await (await connectApp(options.app)).calls.consents(), options),
  );
  withOptions(
    consent.command("give").description("give a consent").argument("<what>", `${SECURE_IPARAMS}, or a host`),
  ).action(decide(true));
  withOptions(
    consent.command("revoke").description("revoke a consent").argument("<what>", "the subject that list shows"),
  ).action(decide(false));
};
