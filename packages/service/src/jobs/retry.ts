const SECOND = 1_000;

/**
 * Pauses between the tries of a piece of work that failed; after the last pause comes the last try.
 * @units milliseconds
 * @assumed Nine tries over about eight hours.
 */
const PAUSES = [1, 10, 60, 300, 900, 3_600, 7_200, 14_400].map((seconds) => seconds * SECOND);

/** No try is the last for work that was put off because the service ended. */
export const isLastAttempt = (number: number): boolean => number > PAUSES.length;

/** When to try again after that many tries. -> undefined when no more */
export const nextAttemptTime = (tries: number, now: Date): Date | undefined => {
  const pause = PAUSES[tries - 1];
  return pause === undefined ? undefined : new Date(now.getTime() + pause);
};

/**
 * How long work may be locked in the queue before its process has said that it holds it. Short, since nothing is done twice for it: of
 * two that were told of the same work one gets it.
 * @units milliseconds
 */
export const UNCLAIMED = 3 * SECOND;
