import { readFile } from "node:fs/promises";
import { build, type BuildFailure, type BuildOptions, type Message, type OutputFile, type Plugin } from "esbuild";
import type { Finding } from "./finding.ts";
import { findingOf } from "./json.ts";
import { found } from "./rules.ts";

/** A bundle, or what keeps it from being made. */
export interface Bundle {
  readonly code?: string;
  /** Source map of the code, where it was asked for. */
  readonly map?: string;
  /** Names that the entry exports, where it is an ES module. */
  readonly exports: readonly string[];
  /** Whether the entry has `import` or `export` in it. */
  readonly isModule: boolean;
  readonly findings: readonly Finding[];
}

const warningOf = (file: string, message: Message): Finding => {
  const { line, column, ...place } = findingOf(file, message);
  const where = line === undefined ? {} : { line, column: column ?? 1 };
  return found("syntax-warning", place.file, { text: message.text }, where);
};

/** Runs esbuild in the app's folder; what is wrong with the sources becomes findings. @errors any other trouble */
export async function bundle(folder: string, file: string, options: BuildOptions): Promise<Bundle> {
  try {
    const result = await build({
      absWorkingDir: folder,
      ...(options.stdin ? {} : { entryPoints: [file] }),
      bundle: true,
      write: false,
      metafile: true,
      target: "es2020",
      charset: "utf8",
      legalComments: "none",
      logLevel: "silent",
      ...options,
    });
    const files = result.outputFiles as OutputFile[];
    const code = files.find(({ path }) => !path.endsWith(".map"))?.text ?? "";
    const map = files.find(({ path }) => path.endsWith(".map"))?.text;
    const made = Object.values(result.metafile?.outputs ?? {}).find(({ entryPoint }) => entryPoint !== undefined);
    return {
      code,
      ...(map === undefined ? {} : { map }),
      exports: made?.exports ?? [],
      isModule: result.metafile?.inputs[file]?.format === "esm",
      findings: result.warnings.map((warning) => warningOf(file, warning)),
    };
  } catch (error) {
    const errors = (error as Partial<BuildFailure>).errors;
    if (!errors) throw error;
    return { exports: [], isModule: false, findings: errors.map((message) => findingOf(file, message)) };
  }
}

/** Lets esbuild read one file with something written behind it; the lines before keep their numbers. */
export const withEnd = (path: string, end: (text: string) => string): Plugin => ({
  name: "end",
  setup(builder) {
    builder.onLoad({ filter: /./ }, async (args) => {
      if (args.path !== path) return undefined;
      const text = await readFile(path, "utf8");
      return { contents: `${text}\n${end(text)}`, loader: "default" };
    });
  },
});
