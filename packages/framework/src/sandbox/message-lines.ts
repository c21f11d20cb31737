import type { Readable } from "node:stream";
import { ChildMessage } from "@parley/contract";
import { Compile } from "typebox/compile";

const NEWLINE = 10;

/** Within each span of this length, one stream may use half of the time; then it is paused. @units milliseconds */
const SPAN_MS = 8;

/** Measures the time that the lines of one stream take. -> the pause that is due, if it exceeds its share @units milliseconds */
const createTimeShare = () => {
  let [spanStart, spent, measuredAt] = [0, 0, 0];
  return {
    begin() {
      measuredAt = performance.now();
    },
    pauseMs(): number {
      const now = performance.now();
      if (now - spanStart > SPAN_MS) [spanStart, spent] = [measuredAt, 0];
      spent += now - measuredAt;
      measuredAt = now;
      if (spent <= SPAN_MS / 2) return 0;
      // At least as long as the processing took, which also covers a single long message.
      const pause = Math.max(spent, spanStart + SPAN_MS - now);
      spent = 0;
      return pause;
    },
  };
};

/**
 * Splits a stream into lines. A line longer than `maxBytes` calls `onTooLong` and ends the reading. A stream whose lines take more than half of this process's time is not read for a while, and neither is one for
 * which `pauseMs` demands it. A pause can begin within a chunk.
 * @shape pauseMs: asked after each line, the time for which nothing more should be read
 */
export const readLines = (
  stream: Readable,
  maxBytes: number,
  onLine: (line: string) => void,
  onTooLong: () => void,
  pauseMs: () => number = () => 0,
): void => {
  let pending: Buffer[] = [];
  let size = 0;
  let isStopped = false;
  /** Chunks that arrived before or during a pause and are not split yet. */
  let unread: Buffer[] = [];
  let isPaused = false;
  const share = createTimeShare();

  const add = (part: Buffer): boolean => {
    size += part.length;
    pending.push(part);
    if (size <= maxBytes) return true;
    isStopped = true;
    stream.destroy();
    onTooLong();
    return false;
  };
  const pause = (ms: number) => {
    isPaused = true;
    stream.pause();
    setTimeout(() => {
      isPaused = false;
      const chunks = unread;
      unread = [];
      for (const chunk of chunks) splitChunk(chunk);
      if (!isPaused && !isStopped) stream.resume();
    }, ms);
  };
  const splitChunk = (chunk: Buffer): void => {
    if (isStopped) return;
    if (isPaused) return void unread.push(chunk);
    share.begin();
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      if (!add(chunk.subarray(from, at))) return;
      onLine(Buffer.concat(pending, size).toString("utf8"));
      pending = [];
      size = 0;
      from = at + 1;
      const ms = Math.max(pauseMs(), share.pauseMs());
      if (ms === 0) continue;
      pause(ms);
      if (from < chunk.length) unread.push(chunk.subarray(from));
      return;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  };
  stream.on("data", splitChunk);
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
