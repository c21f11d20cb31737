/** One event of an event stream; absent fields are undefined. */
export interface StreamFrame {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

const frameOf = (lines: readonly string[]): StreamFrame => {
  const fields: { id?: string; event?: string } = {};
  const data: string[] = [];
  for (const line of lines) {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "data") data.push(value);
    else if (name === "id" || name === "event") fields[name] = value;
  }
  return { ...fields, ...(data.length > 0 && { data: data.join("\n") }) };
};

/** Parses a `text/event-stream` incrementally. -> the function that takes the next text and returns the events that it completes */
export const createFrameParser = (): ((text: string) => readonly StreamFrame[]) => {
  let buffer = "";
  return (text) => {
    buffer += text;
    // A CR at the end may be the first half of a CRLF.
    const complete = buffer.endsWith("\r") ? buffer.slice(0, -1) : buffer;
    const blocks = complete.replace(/\r\n?/g, "\n").split("\n\n");
    buffer = (blocks.pop() ?? "") + buffer.slice(complete.length);
    return blocks.map((block) => frameOf(block.split("\n"))).filter(({ data }) => data !== undefined);
  };
};
