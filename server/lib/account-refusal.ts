/** Thrown where what came from outside, or from the agent's panel, is not taken: who sent it is told why. */
export class AccountRefusal extends Error {
  override readonly name = "Refused";
  /** Of the answer. */
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
