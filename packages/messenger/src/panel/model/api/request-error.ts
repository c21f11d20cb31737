/** A request that had no success: refused by the service, or without a reply. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  /** HTTP status; 0 without a reply: the outcome is unknown. */
  readonly code: number;
  /** Status token of the contract. */
  readonly status: string;
  /** Value of Retry-After. @units milliseconds */
  readonly retryAfterMs: number;
  constructor(code: number, status: string, message: string, retryAfterMs = 0) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export const noReply = (): RequestError => new RequestError(0, "NO_REPLY", "The service did not reply.");

/** -> an empty object for the reply of a proxy */
const bodyOf = (text: string): { readonly status?: unknown; readonly message?: unknown } => {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch {
    return {};
  }
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** @shape text: the body; retryAfter: the header */
export const refusalOf = (code: number, text: string, retryAfter: string | null): RequestError => {
  const body = bodyOf(text);
  const seconds = /^\d{1,6}$/.test(retryAfter ?? "") ? Number(retryAfter) : 0;
  return new RequestError(code, textOf(body.status), textOf(body.message), seconds * 1000);
};

/** Another request is in progress or the service is not available now: the same request can succeed later. */
export const isTemporary = (error: unknown): error is RequestError =>
  error instanceof RequestError &&
  (error.code === 0 ||
    error.code >= 500 ||
    error.code === 408 ||
    error.code === 409 ||
    (error.code === 429 && error.status !== "UPLOAD_QUOTA_EXCEEDED"));

/** The service refused a request with one of the status tokens. */
export const isRefusedWith = (error: unknown, ...tokens: readonly string[]): boolean =>
  error instanceof RequestError && tokens.includes(error.status);
