/** Where in a JSON file something stands: names of members and numbers of entries, from the outside in. */
export type JsonPath = readonly string[];

/** A change of a JSON file that leaves everything else as its author wrote it. */
export type JsonEdit =
  | { readonly kind: "set"; readonly at: JsonPath; readonly value: string | boolean }
  | { readonly kind: "remove"; readonly at: JsonPath }
  | { readonly kind: "rename"; readonly at: JsonPath; readonly name: string };

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
  /** Edits of `file` that remove the finding, where there is one obvious way. `parley validate --fix` offers them. */
  readonly fix?: readonly JsonEdit[];
}

/** A finding whose place in a JSON file is known by path, until the file's text turns it into line and column. */
export interface FoundDetail extends Finding {
  readonly at?: JsonPath;
}

/** What may be told besides. */
export type FindingDetail = Partial<Pick<FoundDetail, "line" | "column" | "help" | "at" | "fix">>;

/** -> whether nothing of it keeps the app from running. */
export const isRunnable = (findings: readonly Finding[]): boolean => findings.every(({ level }) => level !== "error");

/** A finding as one line of a log: `file:line:column: message`. */
export const findingLine = ({ file, line, column, message, help }: Finding): string => {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${message}${help ? ` (${help})` : ""}`;
};
