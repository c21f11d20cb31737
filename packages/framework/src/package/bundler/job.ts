import Type, { type Static } from "typebox";

/** A file that sets the variable `exports`, which a module wrapper would not see, as apps of the field do. */
export const ASSIGNS_EXPORTS = /(?:^|[^.\w$])exports\s*=(?!=)/;

/** One file of an app to be bundled, as the bundler's process is told. */
export interface BundleJob {
  readonly kind: "bundle";
  /** Real path of the app's folder. */
  readonly folder: string;
  /** Folders outside the app's folder whose files its imports of packages may lead to. */
  readonly packageFolders: readonly string[];
  /** Entry, from the app's folder, with `/`. */
  readonly file: string;
  /** Module that is bundled in place of the entry, which it may import. */
  readonly entryText?: string;
  readonly platform: "browser" | "node";
  readonly format: "cjs" | "esm" | "iife";
  readonly globalName?: string;
  /** Packages that stay `require` calls. */
  readonly external?: readonly string[];
  /** `external`: in the answer's `map`, without sources' texts; `inline`: in the code, with them. */
  readonly sourcemap?: "external" | "inline";
  /** Appended to the entry's text as a line of its own. */
  readonly appended?: string;
  /** Lets files of the app set the variable `exports`, as CommonJS does not. */
  readonly hasAssignedExports?: boolean;
  /** Declared packages; a stand-in takes the place of those that are not installed. */
  readonly standIns?: readonly string[];
  /** Names files of packages by package and version in place of their path. */
  readonly hasStableNames?: boolean;
}

/** One text to be parsed only. */
export interface SyntaxJob {
  readonly kind: "syntax";
  readonly text: string;
  readonly loader: "js" | "ts";
}

export type BundlerJob = BundleJob | SyntaxJob;

/** A line that the bundler's process reads. */
export interface BundlerRequest {
  readonly id: number;
  readonly job: BundlerJob;
}

/** @shape line: from 1; column: from 1; file: from the app's folder */
export const BundlerMessage = Type.Object({
  /** `refused`: a path that the app may not use; `text` is the reason. */
  level: Type.Union([Type.Literal("error"), Type.Literal("warning"), Type.Literal("refused")]),
  text: Type.String(),
  path: Type.Optional(Type.String()),
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Number()),
  column: Type.Optional(Type.Number()),
});
export type BundlerMessage = Static<typeof BundlerMessage>;

export const BundlerAnswer = Type.Object({
  /** Absent when there are errors, and for a syntax job. */
  code: Type.Optional(Type.String()),
  map: Type.Optional(Type.String()),
  /** Names that the entry exports, where it is an ES module; for a syntax job those that stand in the text itself. */
  exports: Type.Array(Type.String()),
  /** Whether the entry has `import` or `export` in it. */
  isModule: Type.Boolean(),
  /** Files that the bundle is made of, from the app's folder, with `/`. */
  inputs: Type.Array(Type.String()),
  /** Declared packages that a stand-in was given for. */
  absent: Type.Array(Type.String()),
  messages: Type.Array(BundlerMessage),
});
export type BundlerAnswer = Static<typeof BundlerAnswer>;

/** A line that the bundler's process writes. @shape failure: of the process itself, not of the app's files */
export const BundlerReply = Type.Union([
  Type.Object({ id: Type.Number(), answer: BundlerAnswer }),
  Type.Object({ id: Type.Number(), failure: Type.String() }),
]);
export type BundlerReply = Static<typeof BundlerReply>;
