import type { LogLevel } from "@parley/contract";

/** Longest line of an app in the host's log. @units characters */
const LONGEST = 2_000;

export type AppLog = (level: LogLevel, text: string) => void;

// Control characters could write anywhere on the terminal of whoever reads the log.
const CONTROL = /\p{Cc}/gu;

/**
 * Writes what an app says as lines of the host's log, under the app's name; a flood is cut and counted.
 * @units linesPerSecond; `now` in milliseconds
 */
export const appLog = (
  name: string,
  log: (line: string) => void,
  linesPerSecond: number,
  now: () => number = () => performance.now(),
): AppLog => {
  let second = -1;
  let lines = 0;
  let dropped = 0;
  const write = (level: LogLevel, line: string) => {
    const present = Math.floor(now() / 1000);
    if (present !== second) {
      if (dropped > 0) log(`[${name}] warn: ${dropped} more lines were dropped`);
      [second, lines, dropped] = [present, 0, 0];
    }
    lines += 1;
    if (lines > linesPerSecond) dropped += 1;
    else log(`[${name}] ${level}: ${line.slice(0, LONGEST)}`);
  };
  return (level, text) => {
    for (const line of text.split("\n")) write(level, line.replaceAll("\t", "  ").replace(CONTROL, "?"));
  };
};
