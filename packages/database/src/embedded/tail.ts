import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The last lines of a stream. */
interface Tail {
  /** The first line that reports an error, else the last line, else `otherwise`. */
  last(otherwise: string): string;
  /** The first of the kept lines that matches. */
  find(pattern: RegExp): string | undefined;
}

const LINES_MAX = 20;

/** Reads a stream line by line and keeps the last lines. */
export function tailOf(stream: Readable | null, onLine?: (line: string) => void): Tail {
  const lines: string[] = [];
  if (stream)
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      if (lines.length > LINES_MAX) lines.shift();
      onLine?.(line);
    });
  return {
    last: (otherwise) => lines.find((line) => /FATAL|PANIC|error/i.test(line)) ?? lines.at(-1) ?? otherwise,
    find: (pattern) => lines.find((line) => pattern.test(line)),
  };
}
