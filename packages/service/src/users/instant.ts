/** Limits of the comparable timestamps. @units epoch milliseconds */
const MIN_MS = Date.parse("0001-01-01T00:00:00.000Z");
const MAX_MS = Date.parse("9999-12-31T23:59:59.999Z");

const textOf = (time: number): string => new Date(Math.min(Math.max(time, MIN_MS), MAX_MS)).toISOString();

/**
 * Converts a request's date-time for comparison with columns of millisecond precision.
 * @shape any date-time that passes the query check, including offsets unknown to the database
 */
export const instantOf = {
  /** For `>`: rounds down to the millisecond. */
  floor: (text: string): string => textOf(Date.parse(text)),
  /** For `>=` and `<`: rounds up to the millisecond. */
  ceil: (text: string): string => textOf(Date.parse(text) + (/\.\d{3}0*[1-9]/.test(text) ? 1 : 0)),
} as const;
