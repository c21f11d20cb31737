const SECOND = 1_000;

/**
 * Pauses before the second try and those that follow.
 * @units milliseconds
 * @assumed Six tries in three quarters of an hour: a message that comes later is of little use to its recipient.
 */
const PAUSES: readonly number[] = [5, 30, 120, 600, 1_800].map((seconds) => seconds * SECOND);

/** Longer waits than this that a provider asks for are cut to it. @units milliseconds */
const LONGEST = 24 * 3_600 * SECOND;

/** -> the wait before the next try after so many have failed; undefined: that was the last. @units milliseconds */
export const pauseAfter = (tries: number, askedMs = 0): number | undefined => {
  const pause = PAUSES[tries - 1];
  return pause === undefined ? undefined : Math.max(pause, Math.min(askedMs, LONGEST));
};

/** @assumed A message that could not be sent for a day comes too late. @units milliseconds */
const USEFUL = 24 * 3_600 * SECOND;

/** Whether a next try at that time would be of use. */
export const isInTime = (created: Date, due: Date): boolean => due.getTime() - created.getTime() <= USEFUL;

/** Reads the Retry-After header: seconds or a date. @units milliseconds */
export const retryAfterOf = (header: string | undefined, now: Date): number | undefined => {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND;
  // The platform takes much for a date that HTTP does not write so.
  const time = /^[A-Z][a-z]{2,8}[, ]/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
};
