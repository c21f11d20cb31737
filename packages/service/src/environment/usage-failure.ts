/** An error in a setting that the user of the command can correct. The command prints its message as one line. */
export class UsageFailure extends Error {
  override readonly name = "UsageFailure";
}
