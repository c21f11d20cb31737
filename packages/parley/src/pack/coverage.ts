import { styleText } from "node:util";
import type { CoverageCount, CoverageReport, CoverageSummary } from "@parley/framework/authoring";
import { CommandFailure } from "../environment/failure.ts";
import { printable } from "../output/table.ts";

const HOW_TO_MEASURE = "run its tests with 'parley test --coverage', or raise its events in 'parley run --coverage'";

/** Rounded down, so that incomplete coverage is never shown as 100 %. */
const percentOf = ({ covered, total }: CoverageCount): number =>
  total === 0 ? 100 : Math.floor((1_000 * covered) / total) / 10;

const cell = (count: CoverageCount): string => `${percentOf(count).toFixed(1)} %`.padStart(9);
const row = (name: string, width: number, { lines, functions, branches }: CoverageSummary): string =>
  `  ${name.padEnd(width)} ${[lines, functions, branches].map(cell).join("  ")}`;

const outdatedText = (outdated: readonly string[]): string =>
  `${outdated.map(printable).join(", ")} ${outdated.length === 1 ? "has" : "have"} changed since coverage was measured`;

/** Text report of the coverage of server/, with a note when it was not measured or is outdated. */
export const coverageText = (report: CoverageReport | undefined): string => {
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
export const refuseLowCoverage = (percent: number, report: CoverageReport | undefined): void => {
  const refuse = (why: string) => {
    throw new CommandFailure(`Nothing was packed, since --min-coverage is ${percent}: ${why}.`);
  };
  if (!report) return refuse(`coverage was not measured. Next: ${HOW_TO_MEASURE}`);
  const { outdated, total } = report;
  if (outdated.length > 0) return refuse(`${outdatedText(outdated)}. Next: ${HOW_TO_MEASURE} again`);
  if (100 * total.lines.covered >= percent * total.lines.total) return undefined;
  return refuse(
    `${percentOf(total.lines)} % of the lines of server/ have run. Next: ${HOW_TO_MEASURE} for what has not run`,
  );
};
