import type { Bundler, BundleRequest } from "../bundler/bundler.ts";
import { BundlingFailed } from "../bundler/bundler.ts";
import type { BundlerAnswer, BundlerMessage } from "../bundler/job.ts";
import type { Finding } from "../model/finding.ts";
import { createFinding } from "../model/rules.ts";

/** A bundle, or findings that prevent it. */
interface AppBundle extends Omit<BundlerAnswer, "messages"> {
  readonly findings: readonly Finding[];
}

/** Converts a message of the bundler. */
const bundlerFinding = (file: string, { level, text, path, line, column, ...place }: BundlerMessage): Finding => {
  const where = line === undefined ? {} : { line, column: column ?? 1 };
  const at = place.file ?? file;
  if (level === "refused") return createFinding("path-refused", at, { path: path ?? at, reason: text }, where);
  return createFinding(level === "error" ? "syntax" : "syntax-warning", at, { text }, where);
};

/** Converts the failure of a job. @errors Rethrows every other error. */
const failureOf = (file: string, error: unknown): Finding => {
  if (error instanceof BundlingFailed) return createFinding("bundling-failed", file, { file, reason: error.message });
  throw error;
};

/** Bundles a file of an app. Errors in the sources become findings. @errors any other error */
export async function bundleApp(bundler: Bundler, request: BundleRequest): Promise<AppBundle> {
  const { file } = request;
  try {
    const { messages, ...answer } = await bundler.bundle(request);
    return { ...answer, findings: messages.map((message) => bundlerFinding(file, message)) };
  } catch (error) {
    return { exports: [], isModule: false, inputs: [], absent: [], findings: [failureOf(file, error)] };
  }
}

/** Bundles a file of an app reproducibly on any machine. */
export const stableBundle = (bundler: Bundler, request: BundleRequest): Promise<AppBundle> =>
  bundleApp(bundler, { ...request, hasStableNames: true });

/** Result of checking a single text. */
interface ModuleOutline extends Pick<BundlerAnswer, "exports" | "isModule"> {
  /** Syntax errors. */
  readonly errors: readonly Finding[];
}

/** Checks the syntax of a text. @errors any error that is not in the text */
export async function outlineOf(
  bundler: Bundler,
  { folder, file, text }: { readonly folder: string; readonly file: string; readonly text: string },
): Promise<ModuleOutline> {
  try {
    const answer = await bundler.checkSyntax(folder, { text, loader: /ts$/i.test(file) ? "ts" : "js" });
    const errors = answer.messages.filter(({ level }) => level === "error");
    return { ...answer, errors: errors.map((message) => ({ ...bundlerFinding(file, message), file })) };
  } catch (error) {
    return { exports: [], isModule: false, errors: [failureOf(file, error)] };
  }
}
