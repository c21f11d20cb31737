import Type, { type Static } from "typebox";

/** Matches a file that assigns the variable `exports`, as apps of other hosts do. A module wrapper would not see that value. */
export const ASSIGNS_EXPORTS = /(?:^|[^.\w$])exports\s*=(?!=)/;

/** A job to bundle one file of an app. */
export interface BundleJob {
  readonly kind: "bundle";
  /** Real path of the app's folder. */
  readonly folder: string;
  /** Folders outside the app's folder from which packages may be imported. */
  readonly packageFolders: readonly string[];
  /** Path of the entry from the app's folder, with `/`. */
  readonly file: string;
  /** Text of a module that is bundled in place of the entry and may import it. */
  readonly entryText?: string;
  readonly platform: "browser" | "node";
  readonly format: "cjs" | "esm" | "iife";
  readonly globalName?: string;
  /** Packages that remain `require` calls. */
  readonly external?: readonly string[];
  /** `external`: in the answer's `map`, without source texts; `inline`: in the code, with source texts. */
  readonly sourcemap?: "external" | "inline";
  /** Text appended to the entry as a separate line. */
  readonly appended?: string;
  /** Supports files that assign the variable `exports`, which CommonJS ignores. */
  readonly hasAssignedExports?: boolean;
  /** Declared packages that are replaced by a stub if they are not installed. */
  readonly standIns?: readonly string[];
  /** Names files of packages by package and version instead of their path. */
  readonly hasStableNames?: boolean;
}

/** A job to check the syntax of one text. */
export interface SyntaxJob {
  readonly kind: "syntax";
  readonly text: string;
  readonly loader: "js" | "ts";
}

export type BundlerJob = BundleJob | SyntaxJob;

/** A line of the bundler process's standard input. */
export interface BundlerRequest {
  readonly id: number;
  readonly job: BundlerJob;
}

/** @shape line: from 1; column: from 1; file: from the app's folder */
export const BundlerMessage = Type.Object({
  /** `refused`: the app may not use the path; `text` is the reason. */
  level: Type.Union([Type.Literal("error"), Type.Literal("warning"), Type.Literal("refused")]),
  text: Type.String(),
  path: Type.Optional(Type.String()),
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Number()),
  column: Type.Optional(Type.Number()),
});
export type BundlerMessage = Static<typeof BundlerMessage>;

export const BundlerAnswer = Type.Object({
  /** Absent if there are errors, and for a syntax job. */
  code: Type.Optional(Type.String()),
  map: Type.Optional(Type.String()),
  /** Names exported by the entry if it is an ES module; for a syntax job, names exported by the text itself. */
  exports: Type.Array(Type.String()),
  /** Whether the entry contains `import` or `export`. */
  isModule: Type.Boolean(),
  /** Paths of the bundled files from the app's folder, with `/`. */
  inputs: Type.Array(Type.String()),
  /** Declared packages that were replaced by a stub. */
  absent: Type.Array(Type.String()),
  messages: Type.Array(BundlerMessage),
});
export type BundlerAnswer = Static<typeof BundlerAnswer>;

/** A line of the bundler process's standard output. @shape failure: of the process itself, not of the app's files */
export const BundlerReply = Type.Union([
  Type.Object({ id: Type.Number(), answer: BundlerAnswer }),
  Type.Object({ id: Type.Number(), failure: Type.String() }),
]);
export type BundlerReply = Static<typeof BundlerReply>;
