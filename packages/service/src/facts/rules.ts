/** How the log is told into facts: bounds and waits. */
export interface FactRules {
  /** Events that are told at a time. */
  readonly batch: number;
  /** How long commits gather before the log is read for them. @units milliseconds */
  readonly gatherMs: number;
  /** How long the log is left unread when nobody rings: other processes don't. @units milliseconds */
  readonly pollMs: number;
  /** The longest wait for a gap in the log to be filled or given up, between two looks. @units milliseconds */
  readonly gapMs: number;
  /** Left to requests between two full batches, where there is much to catch up with. @units milliseconds */
  readonly restMs: number;
  /** How long a close waits for the batch under way. @units milliseconds */
  readonly graceMs: number;
}

/** @assumed The numbers. */
export const FACT_RULES: FactRules = {
  batch: 1_000,
  gatherMs: 100,
  pollMs: 500,
  gapMs: 50,
  restMs: 5,
  graceMs: 2_000,
};
