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
