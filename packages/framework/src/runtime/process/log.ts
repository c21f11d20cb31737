import type { AppLogLevel } from "@parley/contract";
import type { Log } from "@parley/telemetry";

/** Maximum line of an app in the host's log. @units characters */
const LINE_LENGTH_MAX = 2_000;

export type AppLog = (level: AppLogLevel, text: string) => void;

// Control characters could write to any position of a reader's terminal.
const CONTROL = /\p{Cc}/gu;

/**
 * Writes an app's output as lines of the host's log with the app's name. Excess lines are dropped and counted.
 * @units linesPerSecond; `now` in milliseconds
 */
export const appLog = (
  name: string,
  log: Log,
  linesPerSecond: number,
  now: () => number = () => performance.now(),
): AppLog => {
  let second = -1;
  let lines = 0;
  let dropped = 0;
  /** -> whether another line may be written in this second */
  const isOpen = (): boolean => {
    const present = Math.floor(now() / 1000);
    if (present !== second) {
      if (dropped > 0) log(`${dropped} more lines were dropped`, { level: "warn", app: name });
      [second, lines, dropped] = [present, 0, 0];
    }
    return lines < linesPerSecond;
  };
  const write = (level: AppLogLevel, line: string) => {
    lines += 1;
    log(line.slice(0, LINE_LENGTH_MAX).replaceAll("\t", "  ").replace(CONTROL, "?"), { level, app: name });
  };
  return (level, text) => {
    for (let from = 0; from <= text.length;) {
      const end = text.indexOf("\n", from);
      const to = end < 0 ? text.length : end;
      // A dropped line costs only the search for its end.
      if (isOpen()) write(level, text.slice(from, to));
      else dropped += 1;
      from = to + 1;
    }
  };
};
