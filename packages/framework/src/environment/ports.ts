import { randomBytes } from "node:crypto";
import { v7 } from "uuid";

/** Time, ids and secrets as arguments, so that a test can hold them still. The only place that asks the machine for them. */
export interface HostPorts {
  readonly now: () => Date;
  readonly newId: () => string;
  /** Bytes that nobody can guess. */
  readonly random: (count: number) => Buffer;
  /** Tells when the clock was set, so that whoever waits for a time looks again; a clock that only runs has none. */
  readonly onJump?: (listener: () => void) => () => void;
}

export const realHostPorts: HostPorts = {
  now: () => new Date(),
  newId: () => v7(),
  random: (count) => randomBytes(count),
};
