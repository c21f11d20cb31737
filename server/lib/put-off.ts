/** Why a piece of work is put off: nothing is wrong with it, and it is taken up again by itself. */
export type Cause = "slow" | "allowance" | "calls" | "unreachable" | "refused" | "outside" | "turn";

/**
 * Thrown where work can't go on now: what is left of the event is done later, by work.ts.
 * @units seconds: until it makes sense to try again
 */
export class PutOff extends Error {
  override readonly name = "PutOff";
  override readonly cause: Cause;
  readonly seconds: number;
  constructor(cause: Cause, seconds: number, message: string) {
    super(message);
    this.cause = cause;
    this.seconds = seconds;
  }
}
