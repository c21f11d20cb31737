import { styleText } from "node:util";
import type { Finding } from "@parley/framework/authoring";
import { printable } from "../output/table.ts";

/** Width when the output is not a terminal. @units characters */
export const FINDING_LINE = 80;

const isLint = ({ code }: Finding) => code.startsWith("lint");

/** Breaks a text between words; a word longer than a line is not broken. @units width: characters */
const wrapped = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length + 1 <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
};

const SEVERITY_MARKS = { error: styleText("red", "✖"), warning: styleText("yellow", "⚠") } as const;

const placeOf = ({ file, line, column }: Finding) =>
  [file, line, column].filter((part) => part !== undefined).join(":");

const findingLines = (finding: Finding, width: number): string[] => [
  `${SEVERITY_MARKS[finding.level]} ${styleText("bold", printable(placeOf(finding)))}`,
  ...wrapped(printable(finding.message), width - 2).map((line) => `  ${line}`),
  ...(finding.help ? wrapped(printable(finding.help), width - 2).map((line) => styleText("dim", `  ${line}`)) : []),
];

const lintLine = ({ file, line, message, help }: Finding): string =>
  printable(`${file}::${line ?? 1}: ${message}`) + (help ? styleText("dim", ` (${printable(help)})`) : "");

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** Text report of findings. Errors come last, next to the summary. @units width: characters of a line */
export const validationText = (findings: readonly Finding[], width: number): string => {
  const plain = findings.filter((finding) => !isLint(finding));
  const at = (level: Finding["level"]) => plain.filter((finding) => finding.level === level);
  const parts = [
    at("warning").flatMap((finding) => findingLines(finding, width)),
    findings.filter(isLint).map(lintLine),
    at("error").flatMap((finding) => findingLines(finding, width)),
  ].filter((lines) => lines.length > 0);
  const errors = at("error").length;
  const warnings = findings.length - errors;
  const summary =
    findings.length === 0
      ? `${styleText("green", "✔")} No problems: 0 errors, 0 warnings.`
      : `${errors > 0 ? SEVERITY_MARKS.error : SEVERITY_MARKS.warning} ${counted(errors, "error")}, ${counted(warnings, "warning")}.`;
  return [...parts.map((lines) => `${lines.join("\n")}\n`), summary].join("\n");
};
