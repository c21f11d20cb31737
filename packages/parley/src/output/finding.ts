import { styleText } from "node:util";
import { printable } from "./table.ts";

type CheckLevel = "ok" | "warn" | "fail";

/** Result of one check. */
export interface CheckFinding {
  readonly level: CheckLevel;
  readonly message: string;
  /** Recommended action. */
  readonly next?: string;
}

/** A finding with the name of its check. */
export interface NamedFinding extends CheckFinding {
  readonly name: string;
}

export const ok = (message: string): CheckFinding => ({ level: "ok", message });
export const warn = (message: string, next: string): CheckFinding => ({ level: "warn", message, next });
export const fail = (message: string, next: string): CheckFinding => ({ level: "fail", message, next });

/** The finding of the first problem; `ok` without a problem. */
export const worstOf = (findings: readonly CheckFinding[], message: string): CheckFinding =>
  findings.find(({ level }) => level === "fail") ?? findings.find(({ level }) => level === "warn") ?? ok(message);

const LEVEL_MARKS: Readonly<Record<CheckLevel, string>> = {
  ok: styleText("green", "✔"),
  warn: styleText("yellow", "⚠"),
  fail: styleText("red", "✖"),
};
const NAME_WIDTH_MIN = 13;

/** Lines of findings, each with what to do. */
export const findingLines = (findings: readonly NamedFinding[]): string[] => {
  const width = Math.max(NAME_WIDTH_MIN, ...findings.map(({ name }) => name.length));
  return findings.flatMap(({ name, level, message, next }) => [
    `${LEVEL_MARKS[level]} ${name.padEnd(width)} ${printable(message)}`,
    ...(next ? [styleText("dim", `  ${" ".repeat(width)} ${next}`)] : []),
  ]);
};
