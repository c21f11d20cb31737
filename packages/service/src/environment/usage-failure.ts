/** A setting that the person at the terminal can mend; the command prints its message as one line. */
export class UsageFailure extends Error {
  override readonly name = "UsageFailure";
}
