import { LIMITS, PAYLOAD_TOO_LARGE, refuse } from "@parley/contract";

/** A line with its number, counted from 1. */
export interface Line {
  readonly number: number;
  readonly bytes: Buffer;
}

/** What can be a request of the API fits. @units bytes */
const LONGEST = 2 * LIMITS.body_bytes;
const LINE_FEED = 10;

const isBlank = (bytes: Buffer): boolean => bytes.length < 3 && bytes.toString("latin1").trim() === "";

/**
 * Reads bytes as lines, those of a chunk together; blank ones count and are passed over.
 * @errors PAYLOAD_TOO_LARGE for a line that has no end
 */
export async function* linesOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Line[]> {
  let number = 0;
  let open: Buffer[] = [];
  let length = 0;
  const close = (last: Buffer): Line => {
    const bytes = open.length === 0 ? last : Buffer.concat([...open, last]);
    open = [];
    length = 0;
    return { number: ++number, bytes };
  };
  for await (const part of source) {
    const chunk = Buffer.isBuffer(part) ? part : Buffer.from(part);
    const lines: Line[] = [];
    let begin = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, begin)) {
      const line = close(chunk.subarray(begin, end));
      if (!isBlank(line.bytes)) lines.push(line);
      begin = end + 1;
    }
    if (begin < chunk.length) {
      // A copy, so that the rest of a line doesn't hold its whole chunk.
      open.push(Buffer.from(chunk.subarray(begin)));
      length += chunk.length - begin;
    }
    if (lines.length > 0) yield lines;
    if (length > LONGEST)
      refuse(PAYLOAD_TOO_LARGE, `Line ${number + 1} is longer than ${LONGEST} bytes: a record is one line.`);
  }
  const last = close(Buffer.alloc(0));
  if (!isBlank(last.bytes)) yield [last];
}
