import type { Readable } from "node:stream";
import { ChildMessage } from "@parley/contract";
import { Compile } from "typebox/compile";

const NEWLINE = 10;

/** Within each span of this length, one stream may use half of the time; then it is paused until the span ends. @units milliseconds */
const shareSpanMs = 20;

/** Measures the processing time of one stream's chunks and pauses the stream when it exceeds its share. */
const timeShare = (stream: Readable) => {
  let [spanStart, spent] = [0, 0];
  return (begun: number): void => {
    const now = performance.now();
    if (now - spanStart > shareSpanMs) [spanStart, spent] = [begun, 0];
    spent += now - begun;
    if (spent <= shareSpanMs / 2) return;
    stream.pause();
    // The pause is at least as long as the processing took, which also covers a single long message.
    setTimeout(() => stream.resume(), Math.max(spent, spanStart + shareSpanMs - now));
    spent = 0;
  };
};

/**
 * Splits a stream into lines. A line longer than `maxBytes` calls `tooLong` and ends the reading. A stream whose lines take more than half of
 * this process's time is throttled.
 */
export const readLines = (
  stream: Readable,
  maxBytes: number,
  take: (line: string) => void,
  tooLong: () => void,
): void => {
  let kept: Buffer[] = [];
  let size = 0;
  let isLeft = false;
  const account = timeShare(stream);
  const add = (part: Buffer): boolean => {
    size += part.length;
    kept.push(part);
    if (size <= maxBytes) return true;
    isLeft = true;
    stream.destroy();
    tooLong();
    return false;
  };
  const cutUp = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      if (!add(chunk.subarray(from, at))) return;
      take(Buffer.concat(kept, size).toString("utf8"));
      kept = [];
      size = 0;
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  };
  stream.on("data", (chunk: Buffer) => {
    if (isLeft) return;
    const begun = performance.now();
    cutUp(chunk);
    if (!isLeft) account(begun);
  });
};

const isMessage = Compile(ChildMessage);

/** Parses and validates a line of the child process; undefined if it is not a message. */
export const parseMessageLine = (line: string): ChildMessage | undefined => {
  try {
    const message: unknown = JSON.parse(line);
    return isMessage.Check(message) ? message : undefined;
  } catch {
    return undefined;
  }
};
