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
 * Splits a stream into lines. A line longer than `maxBytes` calls `onTooLong` and ends the reading. A stream whose lines take more than half of
 * this process's time is throttled.
 */
export const readLines = (
  stream: Readable,
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
): void => {
  let pending: Buffer[] = [];
  let size = 0;
  let isStopped = false;
  const recordTime = timeShare(stream);
  const add = (part: Buffer): boolean => {
    size += part.length;
    pending.push(part);
    if (size <= maxBytes) return true;
    isStopped = true;
    stream.destroy();
    onTooLong();
    return false;
  };
  const splitChunk = (chunk: Buffer): void => {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      if (!add(chunk.subarray(from, at))) return;
      onLine(Buffer.concat(pending, size).toString("utf8"));
      pending = [];
      size = 0;
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  };
  stream.on("data", (chunk: Buffer) => {
    if (isStopped) return;
    const begun = performance.now();
    splitChunk(chunk);
    if (!isStopped) recordTime(begun);
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
