const SECOND = 1_000;

/**
 * Pauses between the attempts of a failing job. The last attempt follows the last pause.
 * @units milliseconds
 * @assumed Nine attempts over about eight hours.
 */
const PAUSES = [1, 10, 60, 300, 900, 3_600, 7_200, 14_400].map((seconds) => seconds * SECOND);

/** Attempts that a stop of the service interrupted are not counted. */
export const isLastAttempt = (number: number): boolean => number > PAUSES.length;

/** The time of the next attempt after this many attempts. -> undefined: no more attempts */
export const nextAttemptTime = (tries: number, now: Date): Date | undefined => {
  const pause = PAUSES[tries - 1];
  return pause === undefined ? undefined : new Date(now.getTime() + pause);
};

/**
 * Time for a process to claim a job that it has locked in the queue. A short time is safe: if two processes get the same job, one
 * of them claims it.
 * @units milliseconds
 */
export const UNCLAIMED = 3 * SECOND;
