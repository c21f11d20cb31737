/** One thing that is wrong, or looks wrong, in an app's folder; worded for its author. */
export interface Finding {
  readonly code: string;
  readonly level: "error" | "warning";
  /** From the app's folder, with `/`. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly help?: string;
}

type Detail = Partial<Pick<Finding, "line" | "column" | "help">>;

export const errorIn = (file: string, code: string, message: string, detail: Detail = {}): Finding => ({
  code,
  level: "error",
  file,
  message,
  ...detail,
});

export const warningIn = (file: string, code: string, message: string, detail: Detail = {}): Finding => ({
  ...errorIn(file, code, message, detail),
  level: "warning",
});

/** -> whether nothing of it keeps the app from running. */
export const isRunnable = (findings: readonly Finding[]): boolean => findings.every(({ level }) => level !== "error");

/** A finding as one line of a log: `file:line:column: message`. */
export const lineOf = ({ file, line, column, message, help }: Finding): string => {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${message}${help ? ` (${help})` : ""}`;
};
