import type { Readable } from "node:stream";
import { ChildMessage } from "@parley/contract";
import { Compile } from "typebox/compile";

const NEWLINE = 10;

/** Of each such span, half may go to one stream: then it is not read until the span is over, and others have their turn. @units milliseconds */
const shareSpanMs = 20;

/** Counts the time that the handling of one stream's chunks takes, and pauses the stream where it is more than its share. */
const timeShare = (stream: Readable) => {
  let [spanStart, spent] = [0, 0];
  return (begun: number): void => {
    const now = performance.now();
    if (now - spanStart > shareSpanMs) [spanStart, spent] = [begun, 0];
    spent += now - begun;
    if (spent <= shareSpanMs / 2) return;
    stream.pause();
    // At least as long as it took: one long message is paid for too.
    setTimeout(() => stream.resume(), Math.max(spent, spanStart + shareSpanMs - now));
    spent = 0;
  };
};

/**
 * Cuts a stream into lines; `tooLong` is told once a line is longer than allowed, and nothing more is read. A stream whose lines take more than half of
 * this process's time is read more slowly.
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

/** A line of the child, judged; undefined for whatever is no message. */
export const parseMessageLine = (line: string): ChildMessage | undefined => {
  try {
    const message: unknown = JSON.parse(line);
    return isMessage.Check(message) ? message : undefined;
  } catch {
    return undefined;
  }
};
