/** A line of a setting that has one entry per line. */
interface SettingLine {
  /** Line number, starting at 1 as in an editor. */
  readonly line: number;
  /** Trimmed, never empty. */
  readonly text: string;
}

/** The problem of a line, for the person who wrote it. */
export interface SettingLineProblem {
  readonly line: number;
  readonly message: string;
}

/** Blank lines are omitted but counted. */
export const settingLinesOf = (setting: string): SettingLine[] =>
  setting
    .split(/\r\n|\r|\n/)
    .map((text, index) => ({ line: index + 1, text: text.trim() }))
    .filter(({ text }) => text !== "");

/** Normalizes a name for comparison, since people type spaces and capitals inconsistently. */
export const normalizeName = (name: string): string => name.normalize("NFKC").trim().replace(/\s+/g, " ").toLowerCase();

/** -> one text for a field; undefined without problems */
export const problemsText = (problems: readonly SettingLineProblem[]): string | undefined =>
  problems.length === 0 ? undefined : problems.map(({ line, message }) => `Line ${line}: ${message}`).join("\n");

/** Sorts by line number. */
export const byLine = (one: SettingLineProblem, other: SettingLineProblem): number => one.line - other.line;

const NAMES_MAX = 12;

/** Lists the existing names, for a message about one that does not exist. */
export const listNames = (names: readonly string[]): string =>
  names.length <= NAMES_MAX
    ? names.join(", ")
    : `${names.slice(0, NAMES_MAX).join(", ")} and ${names.length - NAMES_MAX} more`;
