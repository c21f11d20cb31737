import type { Readable } from "node:stream";
import { ChildMessage } from "@parley/contract";
import { Compile } from "typebox/compile";

const NEWLINE = 10;

/** Cuts a stream into lines; `tooLong` is told once a line is longer than allowed, and nothing more is read. */
export const readLines = (
  stream: Readable,
  maxBytes: number,
  take: (line: string) => void,
  tooLong: () => void,
): void => {
  let kept: Buffer[] = [];
  let size = 0;
  let isLeft = false;
  const add = (part: Buffer): boolean => {
    size += part.length;
    kept.push(part);
    if (size <= maxBytes) return true;
    isLeft = true;
    stream.destroy();
    tooLong();
    return false;
  };
  stream.on("data", (chunk: Buffer) => {
    if (isLeft) return;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      if (!add(chunk.subarray(from, at))) return;
      take(Buffer.concat(kept, size).toString("utf8"));
      kept = [];
      size = 0;
      from = at + 1;
    }
    if (from < chunk.length) add(chunk.subarray(from));
  });
};

const isMessage = Compile(ChildMessage);

/** A line of the child, judged; undefined for whatever is no message. */
export const readMessage = (line: string): ChildMessage | undefined => {
  try {
    const message: unknown = JSON.parse(line);
    return isMessage.Check(message) ? message : undefined;
  } catch {
    return undefined;
  }
};
