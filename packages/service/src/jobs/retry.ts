const SECOND_MS = 1_000;

/**
 * Pauses between the attempts of a failing job. The last attempt follows the last pause.
 * @units milliseconds
 * @assumed Nine attempts over about eight hours.
 */
const RETRY_PAUSES_MS = [1, 10, 60, 300, 900, 3_600, 7_200, 14_400].map((seconds) => seconds * SECOND_MS);

/** Attempts that a stop of the service interrupted are not counted. */
export const isLastAttempt = (number: number): boolean => number > RETRY_PAUSES_MS.length;

/** The time of the next attempt after this many attempts. -> undefined: no more attempts */
export const nextAttemptTime = (attempts: number, now: Date): Date | undefined => {
  const pause = RETRY_PAUSES_MS[attempts - 1];
  return pause === undefined ? undefined : new Date(now.getTime() + pause);
};

/**
 * Time for a process to claim a job that it has locked in the queue. A short time is safe: if two processes get the same job, one
 * of them claims it.
 * @units milliseconds
 */
export const CLAIM_TIMEOUT_MS = 3 * SECOND_MS;
