/** A failure that the user can resolve. The command prints its message as one line and exits with status 1. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}

/** Names of errors whose message already says what to do. */
const USER_ERROR_NAMES = [
  "CommandFailure",
  "UsageFailure",
  "DatabaseUnavailable",
  "SchemaMismatch",
  "ProjectUnusable",
  "SecretsKeyUnusable",
  "IsolationMissing",
  "CoverageUnavailable",
  "ObjectStoreFailure",
];

/** Compares names, because another copy of the module has another class. */
export const isCommandFailure = (error: unknown): error is Error =>
  error instanceof Error && USER_ERROR_NAMES.includes(error.name);
