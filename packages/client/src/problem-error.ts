import type {
  Api,
  ConsoleApi,
  Endpoint,
  identity,
  BODY_PROBLEMS,
  IDEMPOTENCY_PROBLEMS,
  UPLOAD_PROBLEMS,
  COMMON_PROBLEMS,
  ROUTING_PROBLEMS,
} from "@parley/contract";

type RowOf<A> = { [R in keyof A]: A[R][keyof A[R]] }[keyof A];
type OwnToken<E> = E extends { readonly problems: readonly (infer P extends { readonly status: string })[] }
  ? P["status"]
  : never;
type Shared = (
  | typeof COMMON_PROBLEMS
  | typeof BODY_PROBLEMS
  | typeof UPLOAD_PROBLEMS
  | typeof IDEMPOTENCY_PROBLEMS
  | typeof ROUTING_PROBLEMS
)[number];

/** Every status token of the contract. */
export type StatusToken =
  | OwnToken<Extract<RowOf<Api> | RowOf<ConsoleApi> | RowOf<typeof identity>, Endpoint>>
  | Shared["status"];

/** Body of an error response. @spec Errors */
export interface ProblemBody {
  readonly code: number;
  /** A token of the contract, or the status text of a proxy. */
  readonly status: string;
  readonly message: string;
  readonly error_code?: number;
  readonly error_message?: string;
  readonly error_category?: string;
}

/** Thrown for every response outside 2xx. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly problem: ProblemBody;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  constructor(problem: ProblemBody, headers: Readonly<Record<string, string>>) {
    super(`${problem.code} ${problem.status}: ${problem.message}`);
    this.problem = problem;
    this.headers = headers;
  }
}

/**
 * True if an error is an error response of the service with one of the tokens, or with any token if no token is given. Compares the name,
 * since `instanceof` fails between two copies of a module.
 */
export const isProblemError = <T extends StatusToken>(
  error: unknown,
  ...tokens: readonly T[]
): error is ProblemError & { readonly problem: ProblemBody & { readonly status: [T] extends [never] ? string : T } } =>
  error instanceof Error &&
  error.name === "ProblemError" &&
  (tokens.length === 0 || (tokens as readonly string[]).includes((error as ProblemError).problem.status));
