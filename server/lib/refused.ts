/** Thrown where what came from outside is not taken: nothing was changed by it, and the sender is told why. */
export class Refused extends Error {
  override readonly name = "Refused";
  /** Of the answer. */
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
