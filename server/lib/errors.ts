/** Thrown when a request from outside or from the agent's panel is refused. The sender receives the message. */
export class RequestRefusedError extends Error {
  override readonly name = "RequestRefusedError";
  /** HTTP status of the response. */
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Reason for which work is postponed. It is temporary, and the work is resumed automatically. */
type PostponeCause = "slow" | "allowance" | "calls" | "unreachable" | "refused" | "external-system" | "conflict";

/**
 * Thrown if work can't continue now. The rest of the event is processed later: see use-case-runner.ts.
 * @units seconds: until a retry can succeed
 */
export class PostponedError extends Error {
  override readonly name = "PostponedError";
  override readonly cause: PostponeCause;
  readonly seconds: number;
  constructor(cause: PostponeCause, seconds: number, message: string) {
    super(message);
    this.cause = cause;
    this.seconds = seconds;
  }
}
