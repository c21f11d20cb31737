import type { Attempt } from "./attempt.ts";

/** How subscribers of one kind are tried again. */
export interface RetryRules {
  /** Before the second try of an event, before the third, and so on; after the last one it is a dead letter. @units milliseconds */
  readonly waitsMs: readonly number[];
  /** @units milliseconds */
  readonly tryMs: number;
  /** How long an event that fails holds up what follows it of the same entity; then it is tried aside. @units milliseconds */
  readonly holdMs: number;
}

/** How an event stands whose try has just failed. */
export interface Standing {
  readonly state: "waiting" | "aside";
  /** With the one that failed. */
  readonly tries: number;
  readonly firstTime: Date;
}

/** What becomes of it: `next` is when somebody looks at it, which is before `retry` where it is to be set aside first. */
export type Following =
  { readonly state: "dead" } | { readonly state: "waiting" | "aside"; readonly next: Date; readonly retry: Date };

/** A receiver may put an event off no longer than that. @units milliseconds */
const LONGEST = 86_400_000;

/**
 * Says when an event is tried again.
 * @assumed A Retry-After counts when it is longer than the schedule's own wait, up to a day. What a receiver turned itself off with is
 * tried first when it is on again.
 */
export const afterFailure = (
  { waitsMs, holdMs }: RetryRules,
  { state, tries, firstTime }: Standing,
  failure: Pick<Extract<Attempt, { kind: "failed" }>, "isFinal" | "isOff" | "retryAfterMs">,
  now: Date,
): Following => {
  if (failure.isOff) return { state, next: now, retry: now };
  const wait = failure.isFinal ? undefined : waitsMs[tries - 1];
  if (wait === undefined) return { state: "dead" };
  const retry = new Date(now.getTime() + Math.max(wait, Math.min(failure.retryAfterMs ?? 0, LONGEST)));
  const release = new Date(firstTime.getTime() + holdMs);
  if (state === "aside" || release <= now) return { state: "aside", next: retry, retry };
  return { state, next: retry <= release ? retry : release, retry };
};
