/** Thrown when a request from outside or from the agent's panel is refused. The sender receives the message. */
export class AccountRefusal extends Error {
  override readonly name = "AccountRefusal";
  /** HTTP status of the response. */
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
