/** Which part of the business a message that can't be added is refused by. @spec Errors */
export type ErrorCategory = "ACCOUNT" | "INTEGRATION" | "USER" | "MESSAGE" | "COMMON" | "OTHER";

/** One failure that a caller can meet: `status` is its token, `code` the HTTP status, both repeated in the reply's body. */
export interface Problem {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  /** What the caller can do about it; by its code when absent. */
  readonly remedy?: string;
  /** Set where a message that can't be added is refused: the body then also carries `error_code`, `error_message`, `error_category`. */
  readonly category?: ErrorCategory;
}

/** Identity function: it exists so that literal types survive. */
export const problem = <const P extends Problem>(row: P): P => row;

/** Thrown by rules and stores; the HTTP edge prints it as `{code, status, message}`. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly problem: Problem;
  /** Sent as the Retry-After header. @units seconds */
  readonly retryAfter: number | undefined;
  constructor(row: Problem, message?: string, retryAfter?: number) {
    super(message ?? row.message);
    this.problem = row;
    this.retryAfter = retryAfter;
  }
}

/** By name, since `instanceof` fails between two copies of a module. */
export const isRefusal = (error: unknown): error is Refusal => error instanceof Error && error.name === "Refusal";

/** Says no with a row of the table; `message` may say more closely what is wrong and what to do. */
export const refuse = (row: Problem, message?: string, retryAfter?: number): never => {
  throw new Refusal(row, message, retryAfter);
};
