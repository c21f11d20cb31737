import { randomBytes } from "node:crypto";
import type { HandlerClock } from "@parley/contract";
import { v7 } from "uuid";

/** Clock, ids and random bytes as dependencies, so that tests can control them. `realHostPorts` is their only production implementation. */
export interface HostPorts {
  readonly now: () => Date;
  /** The clock by which the age of cached answers is judged. It never jumps. @units milliseconds */
  readonly monotonicMs: () => number;
  readonly newId: () => string;
  /** Cryptographically random bytes. */
  readonly random: (count: number) => Buffer;
  /** Registers a listener that is called when the clock is set, so that timers are computed again. Absent for a clock that never jumps. */
  readonly onJump?: (listener: () => void) => () => void;
  /** The values from which `now` follows, for the code of apps in other processes. -> undefined while it is the machine's clock */
  readonly handlerClock?: (() => HandlerClock | undefined) | undefined;
}

export const realHostPorts: HostPorts = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  newId: () => v7(),
  random: (count) => randomBytes(count),
};
