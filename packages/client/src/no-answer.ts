/** Thrown if no response was received. Contains nothing of the request, whose token would appear in logs. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  /** Error code such as ECONNREFUSED; ECONNABORTED: timeout, ERR_CANCELED: aborted by the caller. */
  readonly code: string | undefined;
  /** True if the connection failed. */
  readonly lost: boolean;
  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
    this.lost = code !== "ERR_CANCELED" && code !== "ECONNABORTED";
  }
}

/** Compares the name, since `instanceof` fails between two copies of a module. */
export const isNoAnswerError = (error: unknown): error is NoAnswerError =>
  error instanceof Error && error.name === "NoAnswerError";
