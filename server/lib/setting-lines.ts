/** A line of a setting that holds one thing a line. */
export interface SettingLine {
  /** Counted from 1, as an editor shows it. */
  readonly line: number;
  /** Trimmed, never empty. */
  readonly text: string;
}

/** What is wrong with a line, for the person who wrote it. */
export interface SettingLineProblem {
  readonly line: number;
  readonly message: string;
}

/** Blank lines say nothing, but they count. */
export const linesOf = (setting: string): SettingLine[] =>
  setting
    .split(/\r\n|\r|\n/)
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== "");

/** The form in which two names are compared: people type spaces and capitals as they like. */
export const alike = (name: string): string => name.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();

/** -> one text for a field, undefined when nothing is wrong */
export const textOfProblems = (problems: readonly SettingLineProblem[]): string | undefined =>
  problems.length === 0 ? undefined : problems.map(({ line, message }) => `Line ${line}: ${message}`).join("\n");

/** The order in which a person goes through the lines. */
export const byLine = (one: SettingLineProblem, other: SettingLineProblem): number => one.line - other.line;

const NAMES_MAX = 12;

/** The names that there are, for a message about one that isn't. */
export const among = (names: readonly string[]): string =>
  names.length <= NAMES_MAX
    ? names.join(", ")
    : `${names.slice(0, NAMES_MAX).join(", ")} and ${names.length - NAMES_MAX} more`;
