import { relative, resolve } from "node:path";
import { Option, type Command } from "commander";
import { projectTools, packProject, TARGETS, type Target } from "@parley/framework/authoring";
import { UsageFailure } from "../failure.ts";
import { asText as findingsAsText, LINE } from "../validate/report.ts";
import { asText } from "./report.ts";
import { appFolder, targetOf, writeWhole } from "./target.ts";

const HELP = `
The package holds app/, server/, config/, manifest.json, README.md, the verdict
(.report.json) and digest.md5. TypeScript becomes JavaScript; tests, test data,
node_modules and dot files stay at home. The same files give the same bytes on
any machine. For the field, parameters are turned into what it takes: a text in
place of a domain, one expression in place of several, a default for each choice.

Examples:
  parley pack                       makes dist/<name>.zip of the app in this folder
  parley pack apps/greeter --out greeter.zip
  parley pack --target field        makes one that the field takes
  parley pack --json                prints {"file","bytes","sha256"}`;

interface Options {
  readonly target: Target;
  readonly out?: string;
  readonly json?: boolean;
}

const width = (): number => process.stdout.columns ?? LINE;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** `parley pack`: an app's folder becomes one file to hand on. */
export const addPack = (program: Command, exit: (status: number) => void) =>
  program
    .command("pack")
    .description("make the package of an app, after validating it")
    .argument("[dir]", "folder of the app", ".")
    .addOption(new Option("--target <host>", "whose app host it is for").choices(TARGETS).default(TARGETS[0]))
    .option("--out <file>", "file to write, or a folder for it (dist/<name>.zip in the app's folder)")
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async (dir: string, { target, out, json }: Options) => {
      const folder = await appFolder(resolve(dir));
      const { package: made, findings } = await packProject(folder, await projectTools(), target);
      if (!made) {
        print(json ? JSON.stringify({ findings }) : findingsAsText(findings, width()));
        if (json) return exit(1);
        throw new UsageFailure("Nothing was packed: mend the errors above, then pack again.");
      }
      const file = await targetOf(folder, made.name, out);
      await writeWhole(file, made.zip);
      const { zip, sha256 } = made;
      if (json) return print(JSON.stringify({ file, bytes: zip.length, sha256 }));
      if (findings.length > 0) print(findingsAsText(findings, width()));
      print(asText(made, relative(process.cwd(), file) || file));
    });
