/** Why a piece of work is put off: nothing is wrong with it, and it is taken up again by itself. */
export type PostponeCause = "slow" | "allowance" | "calls" | "unreachable" | "refused" | "outside" | "turn";

/**
 * Thrown where work can't go on now: what is left of the event is done later, by work.ts.
 * @units seconds: until it makes sense to try again
 */
export class Postponed extends Error {
  override readonly name = "PutOff";
  override readonly cause: PostponeCause;
  readonly seconds: number;
  constructor(cause: PostponeCause, seconds: number, message: string) {
    super(message);
    this.cause = cause;
    this.seconds = seconds;
  }
}
