import { randomBytes } from "node:crypto";
import { v7 } from "uuid";

/** Time, ids and secrets as arguments, so that a test can hold them still. The only place that asks the machine for them. */
export interface Ports {
  readonly now: () => Date;
  /** A UUID that sorts by its time (version 7): rows made together lie together. */
  readonly newId: () => string;
  /** Bytes that nobody can guess. */
  readonly random: (count: number) => Buffer;
  /** Tells when the clock was set, so that whoever waits for a time looks again; a clock that only runs has none. */
  readonly onJump?: (listener: () => void) => () => void;
}

export const realPorts: Ports = { now: () => new Date(), newId: () => v7(), random: (count) => randomBytes(count) };
