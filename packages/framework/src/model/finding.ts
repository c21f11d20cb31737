/** Path in a JSON file: member names and list indexes, outermost first. */
export type JsonPath = readonly string[];

/**
 * An edit of a JSON file that preserves all other text. `quote` turns a value into a text, `wrap` into a list of one entry; `insert` adds a
 * member to an object; `replace` replaces a range of the text, which need not be valid JSON.
 * @shape start, end: offsets after a byte order mark
 */
export type JsonEdit =
  | { readonly kind: "replace"; readonly start: number; readonly end: number; readonly text: string }
  | { readonly kind: "set"; readonly at: JsonPath; readonly value: string | number | boolean }
  | { readonly kind: "quote" | "wrap" | "remove"; readonly at: JsonPath }
  | { readonly kind: "insert"; readonly at: JsonPath; readonly value: string }
  | { readonly kind: "rename"; readonly at: JsonPath; readonly name: string };

/** An error or a warning about an app's folder, addressed to the app's author. */
export interface Finding {
  readonly code: string;
  readonly level: "error" | "warning";
  /** Path from the app's folder, with `/`. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly help?: string;
  /** Edits of `file` that resolve the finding, if exactly one correction is obvious. `parley validate --fix` offers them. */
  readonly fix?: readonly JsonEdit[];
}

/** A finding with a path in a JSON file, which is later converted to line and column. */
export interface FindingWithPath extends Finding {
  readonly at?: JsonPath;
}

/** Optional members of a finding. */
export type FindingDetail = Partial<Pick<FindingWithPath, "line" | "column" | "help" | "at" | "fix">>;

/** The member `fix` of a finding; absent without edits. */
export const withFix = (fix: readonly JsonEdit[]): Pick<FindingDetail, "fix"> => (fix.length > 0 ? { fix } : {});

/** -> whether the app can run despite the findings */
export const isRunnable = (findings: readonly Finding[]): boolean => findings.every(({ level }) => level !== "error");

/** A finding as a log line: `file:line:column: message`. */
export const findingLine = ({ file, line, column, message, help }: Finding): string => {
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return `${place}: ${message}${help ? ` (${help})` : ""}`;
};
