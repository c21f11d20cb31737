/** What the service says no with. @spec Errors */
export interface ProblemBody {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly error_code?: number;
  readonly error_message?: string;
  readonly error_category?: string;
}

/** Thrown for every answer outside 2xx. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly problem: ProblemBody;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(problem: ProblemBody, headers: Readonly<Record<string, string>>) {
    super(`${problem.code} ${problem.status}: ${problem.message}`);
    this.problem = problem;
    this.headers = headers;
  }
}

/** By name, since `instanceof` fails between two copies of a module. */
export const isProblemError = (error: unknown): error is ProblemError =>
  error instanceof Error && error.name === "ProblemError";
