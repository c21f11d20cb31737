import { styleText } from "node:util";
import { rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { Option, type Command } from "commander";
import {
  type CoverageCount,
  type CoverageReport,
  type CoverageSummary,
  type Package,
  coverageReport,
  createProjectTools,
  packProject,
  PACK_TARGETS,
  type PackTarget,
} from "@parley/framework/authoring";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";
import { validationText, FINDING_LINE } from "../validate/report.ts";
import { makeFolder } from "../environment/folder.ts";
import { appFolder } from "../input/app-folder.ts";

const HOW_TO_MEASURE =
  "run its tests with 'npx parley test --coverage', or raise its events in 'npx parley run --coverage'";

/** Rounded down, so that incomplete coverage is never shown as 100 %. */
const coveredPercent = ({ covered, total }: CoverageCount): number =>
  total === 0 ? 100 : Math.floor((1_000 * covered) / total) / 10;

const cell = (count: CoverageCount): string => `${coveredPercent(count).toFixed(1)} %`.padStart(9);
const row = (name: string, width: number, { lines, functions, branches }: CoverageSummary): string =>
  `  ${name.padEnd(width)} ${[lines, functions, branches].map(cell).join("  ")}`;

const outdatedText = (outdated: readonly string[]): string =>
  `${outdated.map(printable).join(", ")} ${outdated.length === 1 ? "has" : "have"} changed since coverage was measured`;

/** Text report of the coverage of server/, with a note when it was not measured or is outdated. */
const coverageText = (report: CoverageReport | undefined): string => {
  if (!report) return styleText("dim", `Coverage of server/ was not measured: ${HOW_TO_MEASURE}.\n`);
  const { files, total, outdated, measured } = report;
  const width = Math.max(30, ...files.map(({ path }) => printable(path).length));
  return [
    styleText("bold", `Coverage of server/, measured ${printable(measured)}`),
    styleText(
      "dim",
      `  ${"".padEnd(width)} ${["lines", "functions", "branches"].map((name) => name.padStart(9)).join("  ")}`,
    ),
    ...files.map((file) => row(printable(file.path), width, file)),
    row("all", width, total),
    ...(outdated.length > 0 ? [styleText("yellow", `${outdatedText(outdated)}: ${HOW_TO_MEASURE} again.`)] : []),
    "",
  ].join("\n");
};

/** @errors CommandFailure when the line coverage of the current sources is lower than required */
const checkCoverage = (percent: number, report: CoverageReport | undefined): void => {
  const failCoverage = (why: string): never => {
    throw new CommandFailure(`Nothing was packed, since --min-coverage is ${percent}: ${why}.`);
  };
  if (!report) return failCoverage(`coverage was not measured. Next: ${HOW_TO_MEASURE}`);
  const { outdated, total } = report;
  if (outdated.length > 0) return failCoverage(`${outdatedText(outdated)}. Next: ${HOW_TO_MEASURE} again`);
  if (100 * total.lines.covered >= percent * total.lines.total) return undefined;
  return failCoverage(
    `${coveredPercent(total.lines)} % of the lines of server/ have run. Next: ${HOW_TO_MEASURE} for the lines that have not run`,
  );
};

const number = (value: number): string => value.toLocaleString("en-US");

/** Text report of a package: packed files, excluded files and the result. @shape file: path relative to the current folder */
const packText = ({ files, zip, sha256, leftOut }: Package, file: string): string => {
  const width = Math.max(...files.map(({ bytes }) => number(bytes.length).length));
  return [
    ...files.map(({ path, bytes }) => `  ${number(bytes.length).padStart(width)}  ${printable(path)}`),
    "",
    ...(leftOut.length > 0 ? [styleText("dim", `Left out: ${printable(leftOut.join(", "))}`), ""] : []),
    `Packed ${styleText("bold", printable(file))}: ${number(files.length)} files, ${number(zip.length)} bytes.`,
    styleText("dim", `sha256 ${sha256}`),
  ].join("\n");
};

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Path of the package to write: the requested path, or a file in the app's dist/ folder. */
async function packageFileOf(folder: string, name: string, out: string | undefined): Promise<string> {
  if (out === undefined) return join(folder, "dist", `${name}.zip`);
  const namesFolder = /[\\/]$/.test(out) || (await isFolder(resolve(out)));
  return namesFolder ? join(resolve(out), `${name}.zip`) : resolve(out);
}

/** Replaces a file atomically. @errors CommandFailure when the file can't be written */
async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.new`);
  try {
    await makeFolder(dirname(file));
    await writeFile(temporary, bytes, { flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const { code = "error" } = error as NodeJS.ErrnoException;
    throw new CommandFailure(`${file} can't be written (${code}). Choose another path with --out.`);
  }
}

const HELP = `
The package contains app/, server/, config/, manifest.json, README.md, the
validation result (.report.json) and digest.md5. TypeScript is compiled to
JavaScript; tests, test data, node_modules and dot files are left out. The build
is reproducible. With --target field, parameters are converted to the types that
other app hosts support: a text for a domain, one expression instead of several,
a default for each choice.

The coverage of server/ that 'npx parley run --coverage' or 'npx parley test --coverage'
measured is shown for each file: lines, functions and branches. --min-coverage
sets the percentage of lines that must be covered in the current sources.

Examples:
  npx parley pack                       creates dist/<name>.zip of the app in this folder
  npx parley pack apps/greeter --out greeter.zip
  npx parley pack --target field        creates a package for other app hosts
  npx parley pack --min-coverage 80     fails if less than 80 % of the lines are covered
  npx parley pack --json                prints {"file","bytes","sha256"}`;

interface Options {
  readonly target: PackTarget;
  readonly out?: string;
  readonly minCoverage?: number;
  readonly json?: boolean;
}

const parsePercent = (text: string): number => {
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
    .option("--min-coverage <percent>", "fail if the coverage of server/ is lower", parsePercent)
    .option("--json", "print one line of JSON")
    .addHelpText("after", HELP)
    .action(async (dir: string, { target, out, minCoverage, json }: Options) => {
      const folder = await appFolder(resolve(dir));
      const { package: packed, findings } = await packProject(folder, await createProjectTools(), target);
      if (!packed) {
        print(json ? JSON.stringify({ findings }) : validationText(findings, width()));
        if (json) return exit(1);
        throw new CommandFailure("Nothing was packed: fix the errors above, then pack again.");
      }
      const coverage = await coverageReport(folder);
      if (minCoverage !== undefined) checkCoverage(minCoverage, coverage);
      const file = await packageFileOf(folder, packed.name, out);
      await writeAtomically(file, packed.zip);
      const { zip, sha256 } = packed;
      if (json) return print(JSON.stringify({ file, bytes: zip.length, sha256, ...(coverage && { coverage }) }));
      if (findings.length > 0) print(validationText(findings, width()));
      print(coverageText(coverage));
      print(packText(packed, relative(process.cwd(), file) || file));
    });
