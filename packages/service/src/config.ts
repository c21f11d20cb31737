/** What the environment says of the service. */
export interface ServiceConfig {
  /** Calls an account and hour, whatever its plan; undefined: by plan. */
  readonly callsPerHour?: number | undefined;
}

/** A setting that the person at the terminal can mend; the command prints its message as one line. */
class UsageFailure extends Error {
  override readonly name = "UsageFailure";
}

/** More would not fit the table's column. */
const MOST_CALLS = 1_000_000_000;

const callsPerHour = (text: string | undefined): number | undefined => {
  if (text === undefined || text === "") return undefined;
  const calls = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (calls >= 1 && calls <= MOST_CALLS) return calls;
  throw new UsageFailure(`PARLEY_CALLS_PER_HOUR must be a whole number from 1 to ${MOST_CALLS}, not '${text}'.`);
};

/** Reads and checks the settings. @errors UsageFailure that names the variable and what it takes */
export const serviceConfig = (env: NodeJS.ProcessEnv = process.env): ServiceConfig => ({
  callsPerHour: callsPerHour(env["PARLEY_CALLS_PER_HOUR"]),
});
