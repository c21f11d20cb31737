import { styleText } from "node:util";
import type { Command } from "commander";
import { appPackages, type PublishedVersion } from "@parley/contract";
import { createAdminCalls } from "../admin/admin-client.ts";
import { connectPlatform } from "../admin/platform-connection.ts";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";
import { FINDING_LINE, validationText } from "../validate/report.ts";
import { packageSource } from "./package-source.ts";

const HELP = `
A folder is validated and packed as by 'npx parley pack'; name and version are those of its package.json. Without a package.json, the
name is that of the folder, and versions are counted: 1, 2, 3. A package is uploaded as it is.

The app's dependencies are installed once, on the machine of the instance. A published version never changes: publishing the same package
again answers the existing version, and another package needs a higher version.

The command finds the running instance by PARLEY_DATA. With --url it publishes to another machine, whose admin key is PARLEY_ADMIN_KEY.

Examples:
  npx parley publish                              the app in this folder, for all accounts
  npx parley publish apps/greeter --accounts acme,globex
  npx parley publish dist/greeter.zip             a package of 'npx parley pack'
  npx parley publish --url https://apps.example.com
  npx parley publish --json                       prints {"name","version","digest","permissions","hosts","events"}`;

interface Options {
  readonly accounts?: string;
  readonly url?: string;
  readonly json?: boolean;
}

/** @errors CommandFailure for an empty name */
const accountNames = (text: string): string => {
  const names = [...new Set(text.split(",").map((name) => name.trim()))];
  if (names.every((name) => name !== "")) return names.join(",");
  throw new CommandFailure(`--accounts takes names of accounts, separated by commas, not '${printable(text)}'.`);
};

const row = (name: string, values: readonly string[]): string =>
  `  ${styleText("dim", name.padEnd(12))} ${values.length > 0 ? printable(values.join(", ")).replaceAll("\n", " ") : "none"}`;

const publishedText = ({ name, version, digest, permissions, hosts, events }: PublishedVersion): string =>
  [
    `Published ${styleText("bold", printable(name))}, version ${printable(version)}.`,
    row("permissions", permissions),
    row("hosts", hosts),
    row("events", events),
    styleText("dim", `sha256 ${printable(digest)}`),
  ].join("\n");

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** Shows a step on a terminal. */
const progress = (text: string, json: boolean): void => {
  if (!json && process.stderr.isTTY) process.stderr.write(`${styleText("dim", `${text} …`)}\n`);
};

/** `parley publish`: publishes a version of an app. */
export const addPublish = (program: Command, exit: (status: number) => void) =>
  program
    .command("publish")
    .description("publish a version of an app, which accounts then can install")
    .argument("[app]", "folder of the app, or its package", ".")
    .option(
      "--accounts <names>",
      "accounts that can install the app, separated by commas (default: as before, at first all)",
    )
    .option("--url <origin>", "address of the platform on another machine")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async (app: string, { accounts, url, json = false }: Options) => {
      const offered = accounts === undefined ? undefined : accountNames(accounts);
      const { origin, key, hints } = await connectPlatform(url);
      progress(`Packing ${printable(app)}`, json);
      const { archive, findings, name, version } = await packageSource(app);
      const width = process.stdout.columns ?? FINDING_LINE;
      if (!archive) {
        print(json ? JSON.stringify({ findings }) : validationText(findings, width));
        if (json) return exit(1);
        throw new CommandFailure("Nothing was published: fix the errors above, then publish again.");
      }
      if (!json && findings.length > 0) print(validationText(findings, width));
      progress(`Publishing ${archive.length.toLocaleString("en-US")} bytes to ${origin}`, json);
      const published = await createAdminCalls(appPackages, origin, key, hints).publishPackage({
        query: {
          ...(name !== undefined && { name }),
          ...(version !== undefined && { version }),
          ...(offered !== undefined && { accounts: offered }),
        },
        body: archive,
      });
      if (!json) return print(publishedText(published));
      const { digest, permissions, hosts, events } = published;
      return print(
        JSON.stringify({ name: published.name, version: published.version, digest, permissions, hosts, events }),
      );
    });
