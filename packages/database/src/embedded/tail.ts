import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

/** The last lines of a stream. */
export interface Tail {
  /** The line that says best what went wrong. */
  last(otherwise: string): string;
  /** The first of the lines that match. */
  find(pattern: RegExp): string | undefined;
}

const KEPT = 20;

/** Reads a stream line by line, remembering the last ones. */
export function tailOf(stream: Readable | null, hear?: (line: string) => void): Tail {
  const lines: string[] = [];
  if (stream)
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      if (lines.length > KEPT) lines.shift();
      hear?.(line);
    });
  return {
    last: (otherwise) => lines.find((line) => /FATAL|PANIC|error/i.test(line)) ?? lines.at(-1) ?? otherwise,
    find: (pattern) => lines.find((line) => pattern.test(line)),
  };
}
