/** One event of an event stream; absent fields are undefined. */
export interface Frame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
  /** Requested delay of the next connection. @units milliseconds */
  readonly retry?: number;
}

const frameOf = (lines: readonly string[]): Frame => {
  const fields: { id?: string; event?: string; retry?: number } = {};
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    // A comment, sent as keep-alive.
    if (colon === 0) continue;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    else if (name === "id" && !value.includes("\0")) fields.id = value;
    else if (name === "event") fields.event = value;
    else if (name === "retry" && /^\d{1,9}$/.test(value)) fields.retry = Number(value);
  }
  return { ...fields, ...(data.length > 0 && { data: data.join("\n") }) };
};

/** Parses a `text/event-stream` incrementally; an incomplete event at the end is discarded. */
export async function* framesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, void> {
  const decoder = new TextDecoder();
  let buffer = "";
  let lines: string[] = [];
  for await (const chunk of chunks) {
    buffer += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of a CRLF.
    const completeLength = buffer.endsWith("\r") ? buffer.length - 1 : buffer.length;
    const parts = buffer.slice(0, completeLength).split(/\r\n|\n|\r/);
    buffer = (parts.pop() ?? "") + buffer.slice(completeLength);
    for (const line of parts) {
      if (line !== "") {
        lines.push(line);
        continue;
      }
      if (lines.length > 0) yield frameOf(lines);
      lines = [];
    }
  }
}
