import { isAxiosError } from "axios";

/** Thrown where no answer came. It holds nothing of the request: that has the token in it, and errors are printed. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
  /** The system's word, such as ECONNREFUSED; ECONNABORTED: too slow, ERR_CANCELED: the caller ended it. */
  readonly code: string | undefined;
  /** Whether it is the connection that failed. */
  readonly lost: boolean;
  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
    this.lost = code !== "ERR_CANCELED" && code !== "ECONNABORTED";
  }
}

/** By name, since `instanceof` fails between two copies of a module. */
export const isNoAnswerError = (error: unknown): error is NoAnswerError =>
  error instanceof Error && error.name === "NoAnswerError";

/** Throws what axios threw without the request. Other errors are the caller's own, of an interceptor. */
export const noAnswer = (error: unknown): never => {
  if (!isAxiosError(error)) throw error;
  throw new NoAnswerError(error.message, error.code);
};
