import type { ClockChange, ClockState } from "@parley/contract";

/** The instance's clock; schedules, retries, lifetimes and windows follow it. */
export interface TestClock {
  /** Stands still, at the present or the time given. */
  freeze(at?: Date): Promise<ClockState>;
  set(to: Date): Promise<ClockState>;
  /** @shape by: such as 1d, 90m, 1h30m or PT2H */
  advance(by: string): Promise<ClockState>;
  /** Goes on from where it stands. */
  run(): Promise<ClockState>;
  /** As at the beginning. */
  reset(): Promise<ClockState>;
}

export const testClock = (change: (change: ClockChange) => Promise<ClockState>): TestClock => ({
  freeze: (at) => change({ action: "freeze", ...(at ? { time: at.toISOString() } : {}) }),
  set: (to) => change({ action: "set", time: to.toISOString() }),
  advance: (by) => change({ action: "advance", by }),
  run: () => change({ action: "run" }),
  reset: () => change({ action: "reset" }),
});
