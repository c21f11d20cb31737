import { Option, type Command } from "commander";
import { consentHost, type RunConsents } from "@parley/framework";
import { CommandFailure } from "../environment/failure.ts";

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
