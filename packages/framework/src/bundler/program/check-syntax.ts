import { build } from "esbuild";
import type { BundlerAnswer, SyntaxJob } from "../job.ts";
import { messageOf, messagesOf } from "./messages.ts";

const NOTHING: BundlerAnswer = { exports: [], isModule: false, inputs: [], absent: [], messages: [] };

/** Parses one text by itself. A build and not a transformation: esbuild writes the text of a large transformation into a file. */
export async function checkSyntax({ text, loader }: SyntaxJob): Promise<BundlerAnswer> {
  try {
    const { metafile, warnings } = await build({
      stdin: { contents: text, loader },
      bundle: false,
      write: false,
      metafile: true,
      format: "esm",
      tsconfigRaw: {},
      logLevel: "silent",
    });
    const [input] = Object.values(metafile.inputs);
    const [output] = Object.values(metafile.outputs);
    return {
      ...NOTHING,
      exports: output?.exports ?? [],
      isModule: input?.format === "esm",
      messages: warnings.map((warning) => messageOf("warning", warning)),
    };
  } catch (error) {
    return { ...NOTHING, messages: messagesOf(error) };
  }
}
