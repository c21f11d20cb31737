/** @units milliseconds */
const SECOND_MS = 1_000;

/** Limits the lines that are sent to the host, which would drop further lines itself. */
interface LogLimit {
  /** -> whether a line may be sent; otherwise it is counted. @shape call: id of the call; 0 outside of calls */
  admit(call: number): boolean;
  /** Reports the lines of a call that were not sent. */
  report(call: number): void;
  set(linesPerSecond: number): void;
}

/** Nothing that the app can replace is used: it runs in the same realm. */
export const createLogLimit = (omitted: (call: number, lines: number) => void): LogLimit => {
  const now = performance.now.bind(performance);
  const later = setTimeout;
  /** Number of lines that were not sent, by call. */
  let counts: Record<number, number> = Object.create(null) as Record<number, number>;
  let hasCounts = false;
  let isReportDue = false;
  let limit = Number.POSITIVE_INFINITY;
  let begun = 0;
  let lines = 0;

  const reportAll = () => {
    if (!hasCounts) return;
    const previous = counts;
    counts = Object.create(null) as typeof counts;
    hasCounts = false;
    for (const call in previous) omitted(+call, previous[call] ?? 0);
  };
  return {
    admit(call) {
      const time = now();
      if (time - begun >= SECOND_MS) {
        reportAll();
        [begun, lines] = [time, 0];
      }
      if (lines < limit) {
        lines += 1;
        return true;
      }
      counts[call] = (counts[call] ?? 0) + 1;
      hasCounts = true;
      if (!isReportDue) {
        isReportDue = true;
        later(() => {
          isReportDue = false;
          reportAll();
        }, SECOND_MS).unref();
      }
      return false;
    },
    report(call) {
      const count = counts[call];
      if (count === undefined) return;
      delete counts[call];
      omitted(call, count);
    },
    set(linesPerSecond) {
      limit = linesPerSecond;
    },
  };
};
