/** How streams are driven: bounds and waits. */
export interface StreamRules {
  /** Open at a time in a process. */
  readonly perProcess: number;
  /** Open at a time in a process with one token. */
  readonly perToken: number;
  /** Between two signs of life while nothing happens. @units milliseconds */
  readonly beatMs: number;
  /** How long a reader is told to wait before it connects again. @units milliseconds */
  readonly retryMs: number;
  /** The newest events of an account that are kept for its streams, as rows of the log. */
  readonly kept: number;
  /** Events that a stream makes ready at a time: no more of it is in memory. */
  readonly batch: number;
  /** Positions of the log that are looked through at a time by a stream that is behind. */
  readonly span: number;
  /** How long a reader may take nothing of what is sent. @units milliseconds */
  readonly stallMs: number;
  /** Between two looks at whether tokens are still good. @units milliseconds */
  readonly checkMs: number;
  /** In the Retry-After header where no stream is free. @units seconds */
  readonly retryAfter: number;
}

/** @assumed The numbers. A reader that takes nothing for a minute is let go, and goes on where it stopped when it comes back. */
export const STREAM_RULES: StreamRules = {
  perProcess: 1_000,
  perToken: 20,
  beatMs: 15_000,
  retryMs: 1_000,
  kept: 1_000,
  batch: 16,
  span: 10_000,
  stallMs: 60_000,
  checkMs: 400,
  retryAfter: 5,
};
