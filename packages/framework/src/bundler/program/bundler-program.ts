import { createInterface } from "node:readline";
import { initialize } from "esbuild";
import type { BundlerReply, BundlerRequest } from "../job.ts";
import { bundleFile } from "./bundle-file.ts";
import { checkSyntax } from "./check-syntax.ts";

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
