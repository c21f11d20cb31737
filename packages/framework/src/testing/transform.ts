import { extname } from "node:path";
import { transformSync, type Loader } from "esbuild";

/** TypeScript for a test runner without TypeScript: the shape of a transformer as Jest takes one. */

const LOADERS: Readonly<Record<string, Loader>> = { ".ts": "ts", ".mts": "ts", ".cts": "ts", ".tsx": "tsx" };

interface Options {
  readonly supportsStaticESM: boolean;
}

const process = (text: string, file: string, { supportsStaticESM }: Options) => ({
  code: transformSync(text, {
    loader: LOADERS[extname(file)] ?? "js",
    format: supportsStaticESM ? "esm" : "cjs",
    sourcefile: file,
    sourcemap: "inline",
    target: "node20",
  }).code,
});

export default { process };
