import { styleText } from "node:util";
import {
  type Package,
  coverageReport,
  createProjectTools,
  packProject,
  PACK_TARGETS,
  type PackTarget,
} from "@parley/framework/authoring";
import { printable } from "../output/table.ts";
import { relative, resolve } from "node:path";
import { Option, type Command } from "commander";
import { CommandFailure } from "../environment/failure.ts";
import { validationText, FINDING_LINE } from "../validate/report.ts";
import { coverageText, refuseLowCoverage } from "./coverage.ts";
import { appFolder, targetOf, writeAtomically } from "../input/pack-target.ts";

const number = (value: number): string => value.toLocaleString("en-US");

/** Text report of a package: packed files, excluded files and the result. @shape file: path relative to the current folder */
export const packText = ({ files, zip, sha256, leftOut }: Package, file: string): string => {
  const width = Math.max(...files.map(({ bytes }) => number(bytes.length).length));
  return [
    ...files.map(({ path, bytes }) => `  ${number(bytes.length).padStart(width)}  ${printable(path)}`),
    "",
    ...(leftOut.length > 0 ? [styleText("dim", `Left out: ${printable(leftOut.join(", "))}`), ""] : []),
    `Packed ${styleText("bold", printable(file))}: ${number(files.length)} files, ${number(zip.length)} bytes.`,
    styleText("dim", `sha256 ${sha256}`),
  ].join("\n");
};

const HELP = `
The package contains app/, server/, config/, manifest.json, README.md, the
validation result (.report.json) and digest.md5. TypeScript is compiled to
JavaScript; tests, test data, node_modules and dot files are left out. The build
is reproducible. With --target field, parameters are converted to the types that
other app hosts support: a text for a domain, one expression instead of several,
a default for each choice.

The coverage of server/ that 'parley run --coverage' or 'parley test --coverage'
measured is shown for each file: lines, functions and branches. --min-coverage
sets the percentage of lines that must be covered in the current sources.

Examples:
  parley pack                       creates dist/<name>.zip of the app in this folder
  parley pack apps/greeter --out greeter.zip
  parley pack --target field        creates a package for other app hosts
  parley pack --min-coverage 80     fails if less than 80 % of the lines are covered
  parley pack --json                prints {"file","bytes","sha256"}`;

interface Options {
  readonly target: PackTarget;
  readonly out?: string;
  readonly minCoverage?: number;
  readonly json?: boolean;
}

const percentOf = (text: string): number => {
  const percent = Number(text);
  if (/^\d{1,3}(\.\d+)?$/.test(text) && percent <= 100) return percent;
  throw new CommandFailure(`--min-coverage takes a percentage from 0 to 100, not '${text}'.`);
};

const width = (): number => process.stdout.columns ?? FINDING_LINE;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** `parley pack`: writes an app's folder to one package file. */
export const addPack = (program: Command, exit: (status: number) => void) =>
  program
    .command("pack")
    .description("validate an app and create its package")
    .argument("[dir]", "folder of the app", ".")
    .addOption(
      new Option("--target <host>", "app host that the package is for").choices(PACK_TARGETS).default(PACK_TARGETS[0]),
    )
    .option("--out <file>", "file or folder to write to (default: dist/<name>.zip in the app's folder)")
    .option("--min-coverage <percent>", "fail if the coverage of server/ is lower", percentOf)
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async (dir: string, { target, out, minCoverage, json }: Options) => {
      const folder = await appFolder(resolve(dir));
      const { package: made, findings } = await packProject(folder, await createProjectTools(), target);
      if (!made) {
        print(json ? JSON.stringify({ findings }) : validationText(findings, width()));
        if (json) return exit(1);
        throw new CommandFailure("Nothing was packed: fix the errors above, then pack again.");
      }
      const coverage = await coverageReport(folder);
      if (minCoverage !== undefined) refuseLowCoverage(minCoverage, coverage);
      const file = await targetOf(folder, made.name, out);
      await writeAtomically(file, made.zip);
      const { zip, sha256 } = made;
      if (json) return print(JSON.stringify({ file, bytes: zip.length, sha256, ...(coverage && { coverage }) }));
      if (findings.length > 0) print(validationText(findings, width()));
      print(coverageText(coverage));
      print(packText(made, relative(process.cwd(), file) || file));
    });
