import { build, initialize } from "esbuild";
import type { BundlerAnswer, SyntaxJob, BundlerReply, BundlerRequest } from "../job.ts";
import { bundlerMessage, bundlerMessages } from "./path-guard.ts";
import { createInterface } from "node:readline";
import { bundleFile } from "./bundle-file.ts";

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
      messages: warnings.map((warning) => bundlerMessage("warning", warning)),
    };
  } catch (error) {
    return { ...NOTHING, messages: bundlerMessages(error) };
  }
}

/**
 * The bundler's process: reads one job a line from standard input and writes one reply a line to standard output, in any order.
 * It ends with its input.
 */

const reply = (message: BundlerReply): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** esbuild's own program ended, for want of memory or stack: the host is to see that as the end of the bundler. */
const isEsbuildGone = (error: unknown): boolean =>
  error instanceof Error && /^The service (?:was stopped|is no longer running)/.test(error.message);

async function run({ id, job }: BundlerRequest): Promise<void> {
  try {
    reply({ id, answer: await (job.kind === "bundle" ? bundleFile(job) : checkSyntax(job)) });
  } catch (error) {
    if (isEsbuildGone(error)) process.exit(1);
    reply({ id, failure: error instanceof Error ? error.message : String(error) });
  }
}

// Starts esbuild's own program while the first job is on its way.
void initialize({});
createInterface({ input: process.stdin })
  .on("line", (line) => void run(JSON.parse(line) as BundlerRequest))
  .on("close", () => process.exit());
