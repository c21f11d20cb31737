/** Category of the reason why a message can't be added. @spec Errors */
export type ErrorCategory = "ACCOUNT" | "INTEGRATION" | "USER" | "MESSAGE" | "COMMON" | "OTHER";

/** An error that the API can return: `status` is its token, `code` the HTTP status. The response body repeats both. */
export interface Problem {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  /** Advice to the caller; when absent, the default of the code. */
  readonly remedy?: string;
  /** Set for refused messages: the response body then also has `error_code`, `error_message` and `error_category`. */
  readonly category?: ErrorCategory;
}

/** Identity function that preserves literal types. */
export const problem = <const P extends Problem>(row: P): P => row;

/** Thrown by rules and stores; the HTTP layer returns it as `{code, status, message}`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly problem: Problem;
  /** Value of the Retry-After header. @units seconds */
  readonly retryAfter: number | undefined;
  constructor(row: Problem, message?: string, retryAfter?: number) {
    super(message ?? row.message);
    this.problem = row;
    this.retryAfter = retryAfter;
  }
}

/** Compares the name, since `instanceof` fails between two copies of a module. */
export const isRefusal = (error: unknown): error is Refusal => error instanceof Error && error.name === "Refusal";

/** Throws a Refusal. `message` replaces the row's message with a more specific message. */
export const refuse = (row: Problem, message?: string, retryAfter?: number): never => {
  throw new Refusal(row, message, retryAfter);
};
