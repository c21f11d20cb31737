import type { MoveCounts } from "@parley/service/objects";

/** Interval between lines. @units milliseconds */
const LINE_INTERVAL_MS = 5_000;

/** -> a number with one digit after the point */
export const decimalMegabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

/** Writes a line at intervals on standard error. */
export const createMoveProgress = () => {
  let last = performance.now();
  return ({ copied, present, vanished, bytes }: MoveCounts): void => {
    if (performance.now() - last < LINE_INTERVAL_MS) return;
    last = performance.now();
    process.stderr.write(
      `${copied} objects (${decimalMegabytes(bytes)} MB) copied, ${present} were there, ${vanished} were removed meanwhile\n`,
    );
  };
};
