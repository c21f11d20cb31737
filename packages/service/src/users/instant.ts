/** The first and the last millisecond that a column can be compared with. @units epoch milliseconds */
const FIRST = Date.parse("0001-01-01T00:00:00.000Z");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

const textOf = (time: number): string => new Date(Math.min(Math.max(time, FIRST), LAST)).toISOString();

/**
 * A given moment as the database reads it; rows have whole milliseconds, so that what is finer is cut off, or rounded up.
 * @shape any date-time that the query check lets through: also of a zone that the database does not know
 */
export const instant = {
  /** Greater than it and greater than the given moment are the same for a row. */
  floor: (given: string): string => textOf(Date.parse(given)),
  /** From it on and from the given moment on are the same for a row. */
  ceil: (given: string): string => textOf(Date.parse(given) + (/\.\d{3}0*[1-9]/.test(given) ? 1 : 0)),
} as const;
