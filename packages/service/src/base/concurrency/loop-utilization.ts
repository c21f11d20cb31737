import { performance } from "node:perf_hooks";

/** Fraction of the time since the previous call in which the event loop was busy. @units 0 to 1 */
export type Utilization = () => number;

/** Measures the event loop of this thread. */
export const createLoopUtilization = (): Utilization => {
  let last = performance.eventLoopUtilization();
  return () => {
    const present = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(present, last);
    last = present;
    return utilization;
  };
};
