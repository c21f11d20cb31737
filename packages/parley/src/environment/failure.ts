/** Something that the person at the terminal can mend: printed as one line that says how, exit status 1. */
export class CommandFailure extends Error {
  override readonly name = "UsageFailure";
}

/** Failures of the parts that say themselves what to do. */
const TELLING = [
  "UsageFailure",
  "DatabaseUnavailable",
  "SchemaMismatch",
  "ProjectUnusable",
  "SecretsKeyUnusable",
  "IsolationMissing",
  "CoverageUnavailable",
];

/** By name: another copy of the module throws the same. */
export const isCommandFailure = (error: unknown): error is Error =>
  error instanceof Error && TELLING.includes(error.name);
