import { randomBytes } from "node:crypto";
import { v7 } from "uuid";

/** Clock, ids and random bytes as arguments, so that tests control them. This is their only real implementation. */
export interface Ports {
  readonly now: () => Date;
  /** A clock that is never set, for the age of cached values. @units milliseconds */
  readonly monotonicMs: () => number;
  /** A UUID of version 7, which sorts by its time: rows created together are stored together. */
  readonly newId: () => string;
  /** Cryptographically secure random bytes. */
  readonly random: (count: number) => Buffer;
  /** Calls the listener when the clock is set, so that waits for a time are checked again. Absent for a clock that only runs. */
  readonly onJump?: (listener: () => void) => () => void;
}

export const realPorts: Ports = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  newId: () => v7(),
  random: (count) => randomBytes(count),
};
