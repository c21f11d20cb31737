import { build } from "esbuild";
import type { BundlerAnswer, SyntaxJob } from "../job.ts";
import { messageOf, messagesOf } from "./messages.ts";

/** Parses one text by itself. A build and not a transformation: esbuild writes the text of a large transformation into a file. */
export async function checkSyntax({ text, loader }: SyntaxJob): Promise<BundlerAnswer> {
  const messages = await build({
    stdin: { contents: text, loader },
    bundle: false,
    write: false,
    format: "esm",
    tsconfigRaw: {},
    logLevel: "silent",
  }).then(({ warnings }) => warnings.map((message) => messageOf("warning", message)), messagesOf);
  return { exports: [], isModule: false, inputs: [], absent: [], messages };
}
