import { build, initialize } from "esbuild";
import type { BundlerAnswer, SyntaxJob, BundlerReply, BundlerRequest } from "../job.ts";
import { bundlerMessage, bundlerMessages } from "./path-guard.ts";
import { createInterface } from "node:readline";
import { bundleFile } from "./bundle-file.ts";

const EMPTY_ANSWER: BundlerAnswer = { exports: [], isModule: false, inputs: [], absent: [], messages: [] };

/** Checks the syntax of one text. Uses a build instead of a transform, because esbuild writes the text of a large transform to a file. */
async function checkSyntax({ text, loader }: SyntaxJob): Promise<BundlerAnswer> {
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
      ...EMPTY_ANSWER,
      exports: output?.exports ?? [],
      isModule: input?.format === "esm",
      messages: warnings.map((warning) => bundlerMessage("warning", warning)),
    };
  } catch (error) {
    return { ...EMPTY_ANSWER, messages: bundlerMessages(error) };
  }
}

/**
 * The bundler process: reads one job per line from standard input and writes one reply per line to standard output, in any order.
 * The process ends with its input.
 */

const reply = (message: BundlerReply): void => void process.stdout.write(`${JSON.stringify(message)}\n`);

/** esbuild's own process ended for lack of memory or stack. The host then has to see the bundler end. */
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

// Starts esbuild's own process before the first job arrives.
void initialize({});
createInterface({ input: process.stdin })
  .on("line", (line) => void run(JSON.parse(line) as BundlerRequest))
  .on("close", () => process.exit());
